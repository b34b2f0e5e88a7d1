/** A map of the whole picture with a frame around the visible part; a click or drag moves the picture. */
import type { ZoomTransform } from "d3-zoom";
import { element } from "./host";

const WIDTH = 60;
/** The minimum width and height of the map in pixels, for a very long or wide picture. */
const LEAST = 12;
/** The minimum width and height of the frame in pixels, for a view of a small part of the picture. */
const LEAST_FRAME = 8;
/** The size of the mark of an op with findings, in pixels. */
const MARK = 3;

/** The width of the space and the border around the map, in pixels. */
const AROUND = 10;
/** A picture has a map if it is larger than the visible part by this factor. */
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
  /** The height of the view for which the map was drawn. */
  private height = 0;

  /** `center` moves a point of the picture to the middle of the view. */
  constructor(private readonly center: (x: number, y: number) => void) {
    // Keyboard and screen reader users use the picture instead.
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
    // The canvas has the colors of the theme, so redraw it when the theme changes.
    new MutationObserver(() => {
      this.draw();
    }).observe(document.body, { attributeFilter: ["class"] });
  }

  /** Sets the picture, which must be in the page. The map shows lanes, ops, findings and a few races, but no text. */
  show(svg: SVGSVGElement, size: Size): void {
    this.size = size;
    this.svg = svg;
    this.height = 0; // Drawn later, when the available height is known.
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
   * Moves the frame around the visible part, or hides the map if nearly the whole picture is visible.
   *
   * `view.all` is the width of the view without a map. The decision uses the width beside a map, so that the map does
   * not flicker.
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
    const [left, width] = framed(x * this.scaleX, right * this.scaleX, this.map.width);
    const [top, height] = framed(y * this.scaleY, bottom * this.scaleY, this.map.height);
    style.transform = `translate(${left}px, ${top}px)`;
    style.width = `${width}px`;
    style.height = `${height}px`;
  }

  private get scaleX(): number {
    return this.map.width / this.size.width;
  }

  private get scaleY(): number {
    return this.map.height / this.size.height;
  }

  /** Draws to a canvas: a second SVG with this many elements would have to be laid out and painted. */
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
      const { stroke: color, fill } = getComputedStyle(part);
      if (part.classList.contains("sign")) {
        const { x, y } = part.getBBox();
        pen.fillStyle = fill;
        pen.fillRect(x, y, MARK / this.scaleX, MARK / this.scaleY);
      } else if (part instanceof SVGCircleElement) {
        pen.fillStyle = color;
        const [wide, high] = [MARK / this.scaleX, MARK / this.scaleY / 2];
        pen.fillRect(part.cx.baseVal.value - wide / 2, part.cy.baseVal.value - high / 2, wide, high);
      } else if (part instanceof SVGRectElement) {
        const { x, y, width: wide, height: high } = part;
        pen.fillStyle = color;
        pen.fillRect(x.baseVal.value, y.baseVal.value, wide.baseVal.value, high.baseVal.value);
      } else {
        pen.strokeStyle = color;
        pen.stroke(new Path2D(part.getAttribute("d") ?? ""));
      }
    }
  }
}

/** Returns the start and the length of the frame in one direction: large enough to be seen, and on the map. */
function framed(from: number, to: number, all: number): [number, number] {
  const length = Math.max(LEAST_FRAME, to - from);
  const start = (from + to - length) / 2;
  return [Math.max(0, Math.min(start, all - LEAST_FRAME)), length];
}
