/** The whole picture in a corner, with a frame around what is in sight; a click or a drag there moves that. */
import type { ZoomTransform } from "d3-zoom";
import { element } from "./host";

const WIDTH = 180;
const HEIGHT = 120;
/** Of a very long or wide picture, so that there is something to see. */
const LEAST = 12;
/** The size of the mark of an op that findings speak of, in pixels. */
const MARK = 3;

/** So many times what is in sight is a picture that has a map, which hides a part of it. */
const LARGE = 1.3;

interface Size {
  width: number;
  height: number;
}

export class Minimap {
  readonly element = element("div", "", "minimap");
  private readonly canvas = element("canvas");
  private readonly frame = element("div", "", "frame");
  private svg: SVGSVGElement | undefined;
  private size: Size = { width: 1, height: 1 };
  private map: Size = { width: LEAST, height: LEAST };

  /** `center` moves a place of the picture to the middle of the view. */
  constructor(private readonly center: (x: number, y: number) => void) {
    // The picture itself is what keyboards and screen readers use.
    this.element.setAttribute("aria-hidden", "true");
    this.element.append(this.canvas, this.frame);
    const follow = (event: PointerEvent): void => {
      const { left, top } = this.canvas.getBoundingClientRect();
      if (event.buttons === 1) {
        this.center((event.clientX - left) / this.scaleX, (event.clientY - top) / this.scaleY);
      }
    };
    this.element.addEventListener("pointerdown", (event) => {
      this.element.setPointerCapture(event.pointerId);
      follow(event);
    });
    this.element.addEventListener("pointermove", follow);
    // The colours of a theme are in the canvas.
    new MutationObserver(() => {
      this.draw();
    }).observe(document.body, { attributeFilter: ["class"] });
  }

  /** Takes a picture that is in the page: lanes, ops, findings and, where they are few, races; no words. */
  show(svg: SVGSVGElement, size: Size): void {
    this.size = size;
    const scale = Math.min(WIDTH / size.width, HEIGHT / size.height);
    this.map = {
      width: Math.max(LEAST, Math.round(size.width * scale)),
      height: Math.max(LEAST, Math.round(size.height * scale)),
    };
    this.svg = svg;
    this.draw();
  }

  /** Puts the frame around what a view of that size shows; where that is nearly all, there is no map. */
  mark(transform: ZoomTransform, view: Size): void {
    const [x, y] = transform.invert([0, 0]);
    const [right, bottom] = transform.invert([view.width, view.height]);
    const isLarge = this.size.width > LARGE * (right - x) || this.size.height > LARGE * (bottom - y);
    this.element.hidden = !isLarge;
    const { style } = this.frame;
    style.transform = `translate(${x * this.scaleX}px, ${y * this.scaleY}px)`;
    style.width = `${(right - x) * this.scaleX}px`;
    style.height = `${(bottom - y) * this.scaleY}px`;
  }

  private get scaleX(): number {
    return this.map.width / this.size.width;
  }

  private get scaleY(): number {
    return this.map.height / this.size.height;
  }

  /** A canvas, for a second drawing of so many parts would be laid out and painted beside the first. */
  private draw(): void {
    const pen = this.canvas.getContext("2d");
    if (!pen || !this.svg) {
      return;
    }
    const { width, height } = this.map;
    this.canvas.width = width * devicePixelRatio;
    this.canvas.height = height * devicePixelRatio;
    this.canvas.style.width = `${width}px`;
    this.canvas.style.height = `${height}px`;
    pen.scale(this.scaleX * devicePixelRatio, this.scaleY * devicePixelRatio);
    pen.lineWidth = 1 / Math.min(this.scaleX, this.scaleY);
    const parts = "path.lane, .box > .back, path.race:not(.many), path.sign";
    for (const part of this.svg.querySelectorAll<SVGGraphicsElement>(parts)) {
      const { stroke: colour, fill } = getComputedStyle(part);
      if (part.classList.contains("sign")) {
        const { x, y } = part.getBBox();
        pen.fillStyle = fill;
        pen.fillRect(x, y, MARK / this.scaleX, MARK / this.scaleY);
      } else if (part instanceof SVGRectElement) {
        const { x, y, width: wide, height: high } = part;
        pen.fillStyle = colour;
        pen.fillRect(x.baseVal.value, y.baseVal.value, wide.baseVal.value, high.baseVal.value);
      } else {
        pen.strokeStyle = colour;
        pen.stroke(new Path2D(part.getAttribute("d") ?? ""));
      }
    }
  }
}
