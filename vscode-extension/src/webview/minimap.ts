/** The whole picture in a corner, with a frame around what is in sight; a click or a drag moves that. */
import { zoomIdentity, type ZoomTransform } from "d3-zoom";
import { element } from "./host";

const WIDTH = 180;
const HEIGHT = 120;
const XMLNS = "http://www.w3.org/2000/svg";

interface Size {
  width: number;
  height: number;
}

export class Minimap {
  readonly element = element("div", "", "minimap");
  private readonly frame = document.createElementNS(XMLNS, "rect");
  private svg: SVGSVGElement | undefined;
  private size: Size = { width: 1, height: 1 };

  /** `center` moves a place of the picture to the middle of the view. */
  constructor(private readonly center: (x: number, y: number) => void) {
    // The picture itself is what keyboards and screen readers use.
    this.element.setAttribute("aria-hidden", "true");
    this.frame.setAttribute("class", "frame");
    const follow = (event: PointerEvent): void => {
      const matrix = this.svg?.getScreenCTM()?.inverse();
      if (matrix && event.buttons === 1) {
        const { x, y } = new DOMPoint(event.clientX, event.clientY).matrixTransform(matrix);
        this.center(x, y);
      }
    };
    this.element.addEventListener("pointerdown", (event) => {
      this.element.setPointerCapture(event.pointerId);
      follow(event);
    });
    this.element.addEventListener("pointermove", follow);
  }

  /** Takes a picture as it is without zoom: what it shows, the words left out. */
  show(svg: SVGSVGElement, size: Size): void {
    this.size = size;
    const copy = svg.cloneNode(true) as SVGSVGElement;
    copy.querySelector("g")?.removeAttribute("transform");
    for (const part of copy.querySelectorAll("text, title, style")) {
      part.remove();
    }
    for (const part of copy.querySelectorAll("*")) {
      for (const name of ["tabindex", "role", "aria-label", "data-line", "data-lane", "data-start"]) {
        part.removeAttribute(name);
      }
    }
    for (const name of ["role", "aria-label", "tabindex"]) {
      copy.removeAttribute(name);
    }
    const scale = Math.min(WIDTH / size.width, HEIGHT / size.height);
    copy.setAttribute("viewBox", `0 0 ${size.width} ${size.height}`);
    copy.setAttribute("width", String(Math.max(12, size.width * scale)));
    copy.setAttribute("height", String(Math.max(12, size.height * scale)));
    copy.setAttribute("preserveAspectRatio", "none");
    copy.append(this.frame);
    this.svg = copy;
    this.element.replaceChildren(copy);
  }

  /** Puts the frame around what a view of that size shows; where that is all, there is no map. */
  mark(transform: ZoomTransform = zoomIdentity, view: Size): void {
    const [x, y] = transform.invert([0, 0]);
    const [right, bottom] = transform.invert([view.width, view.height]);
    this.element.hidden = x <= 0 && y <= 0 && right >= this.size.width - 1 && bottom >= this.size.height - 1;
    const values = { x, y, width: right - x, height: bottom - y };
    for (const [name, value] of Object.entries(values)) {
      this.frame.setAttribute(name, String(value));
    }
  }
}
