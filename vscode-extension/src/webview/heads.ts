/** Repeats lanes' heads at the upper edge of the view, for visible lanes whose head is scrolled out of sight. */
import type { ZoomTransform } from "d3-zoom";
import { element } from "./host";

const XMLNS = "http://www.w3.org/2000/svg";
/** The space between the edge and the heads, in the picture's units. */
const ABOVE = 4;

interface Head {
  copy: SVGElement;
  /** The horizontal range of the head. */
  left: number;
  right: number;
  /** The vertical range in which the head is repeated: from below the original head to the end of the lane's line. */
  from: number;
  to: number;
}

export class Heads {
  readonly element = element("div", "", "heads");
  private readonly svg = document.createElementNS(XMLNS, "svg");
  private heads: Head[] = [];
  private height = 0;
  private scale = 1;

  constructor() {
    // Keyboard and screen reader users use the picture instead.
    this.element.setAttribute("aria-hidden", "true");
    this.svg.setAttribute("class", "gpuasync-streams");
    this.element.append(this.svg);
  }

  /** Copies the heads of a picture, which must be in the page. */
  show(svg: SVGSVGElement): void {
    const drawn = new Map<string, SVGGElement>();
    for (const head of svg.querySelectorAll<SVGGElement>(".head")) {
      const lane = head.dataset["lane"] ?? "";
      drawn.set(lane, drawn.get(lane) ?? head); // The first head, if heads are repeated.
    }
    const ends = new Map<string, number>();
    for (const line of svg.querySelectorAll<SVGPathElement>("path.lane")) {
      const { y, height } = line.getBBox();
      const lane = line.dataset["lane"] ?? "";
      ends.set(lane, Math.max(ends.get(lane) ?? 0, y + height));
    }
    this.height = 0;
    const heads = [...drawn].map(([lane, head]) => {
      const { x, y, width, height } = head.getBBox();
      this.height = Math.max(this.height, height);
      const copy = head.cloneNode(true) as SVGElement;
      for (const name of ["tabindex", "role", "aria-label", "data-line", "data-lane", "data-start"]) {
        copy.removeAttribute(name);
      }
      copy.setAttribute("transform", `translate(0 ${ABOVE - y})`);
      return { copy, left: x, right: x + width, from: y + height, to: ends.get(lane) ?? 0 };
    });
    this.heads = heads.sort((one, other) => other.left - one.left);
    this.svg.replaceChildren(...this.heads.map(({ copy }) => copy));
  }

  /** Scales the heads like the picture, whose width is `width`. */
  draw(scale: number, width: number): void {
    const below = this.height + 2 * ABOVE;
    this.svg.setAttribute("viewBox", `0 0 ${width} ${below}`);
    this.svg.setAttribute("width", String(width * scale));
    this.svg.setAttribute("height", String(below * scale));
    this.scale = scale;
  }

  /** The height of the view that the heads cover, in pixels. */
  get taken(): number {
    return this.element.style.display === "none" ? 0 : this.element.clientHeight;
  }

  /** Moves the heads with the picture. */
  place({ x, y, k }: ZoomTransform): void {
    this.svg.style.transform = `translate(${x}px, 0) scale(${k / this.scale})`;
    const top = -y / k;
    const below = this.height + 2 * ABOVE;
    const width = this.element.parentElement?.clientWidth ?? 0;
    let some = false;
    let begin = Infinity;
    for (const { copy, left, right, from, to } of this.heads) {
      // Heads of narrow lanes would cover each other: those with enough space remain, the host's last.
      const isThere = from <= top + ABOVE && to > top + below && right <= begin;
      copy.style.display = isThere ? "" : "none";
      begin = isThere ? left : begin;
      some ||= isThere && right * k + x > 0 && left * k + x < width;
    }
    this.element.style.height = `${below * k}px`;
    this.element.style.display = some ? "" : "none";
  }
}
