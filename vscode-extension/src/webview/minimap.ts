/** The whole picture beside it, with a frame around what is in sight; a click or a drag there moves that. */
import type { ZoomTransform } from "d3-zoom";
import { element } from "./host";

const WIDTH = 60;
/** Of a very long or wide picture, so that there is something to see. */
const LEAST = 12;
/** The size of the mark of an op with findings, in pixels. */
const MARK = 3;

/** The frame around the map, and the border of that. */
const AROUND = 10;
/** So many times what is in sight is a picture that has a map. */
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
  /** How high the view was for which it was drawn. */
  private height = 0;

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
    this.svg = svg;
    this.height = 0; // it is drawn when it is known how high it may be
  }

  private fitInto(height: number): void {
    const { size } = this;
    const scale = Math.min(WIDTH / size.width, height / size.height);
    this.height = height;
    this.map = {
      width: Math.max(LEAST, Math.round(size.width * scale)),
      height: Math.max(LEAST, Math.round(size.height * scale)),
    };
    this.draw();
  }

  /**
   * Puts the frame around what a view of that size shows, which has `all` of the width where there is no map. Where that is
   * nearly all of the picture also beside a map, there is none: so it does not come and go.
   */
  mark(transform: ZoomTransform, view: Size & { all: number }): void {
    const [x, y] = transform.invert([0, 0]);
    const [right, bottom] = transform.invert([view.width, view.height]);
    const wide = (view.all - WIDTH - AROUND) / transform.k;
    const isLarge = this.size.width > LARGE * wide || this.size.height > LARGE * (bottom - y);
    this.element.hidden = !isLarge;
    if (isLarge && this.height !== view.height - AROUND) {
      this.fitInto(view.height - AROUND);
    }
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
    const parts = "path.lane, .box > .back, circle.node, path.race:not(.many), path.sign";
    for (const part of this.svg.querySelectorAll<SVGGraphicsElement>(parts)) {
      const { stroke: colour, fill } = getComputedStyle(part);
      if (part.classList.contains("sign")) {
        const { x, y } = part.getBBox();
        pen.fillStyle = fill;
        pen.fillRect(x, y, MARK / this.scaleX, MARK / this.scaleY);
      } else if (part instanceof SVGCircleElement) {
        pen.fillStyle = colour;
        const [wide, high] = [MARK / this.scaleX, MARK / this.scaleY / 2];
        pen.fillRect(part.cx.baseVal.value - wide / 2, part.cy.baseVal.value - high / 2, wide, high);
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
