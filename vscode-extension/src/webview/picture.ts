/** Saves the picture as a file with the colors of the current theme. */

const OWN = ["dimmed", "current", "hit", "now", "lit"];
/** The attribute with the text of a part's removed title. */
export const TIP = "data-tip";
/** The pixels of a PNG per unit of the picture, and the maximum number of pixels of a canvas. */
const SCALE = 2;
const MOST_PIXELS = 100_000_000;

interface Size {
  width: number;
  height: number;
}

/** Returns the unzoomed picture, with the theme's colors in place of variables. */
export function asSvg(svg: SVGSVGElement, { width, height }: Size): string {
  const copy = svg.cloneNode(true) as SVGSVGElement;
  copy.removeAttribute("style");
  copy.setAttribute("width", String(width));
  copy.setAttribute("height", String(height));
  for (const part of copy.querySelectorAll(OWN.map((name) => `.${name}`).join(", "))) {
    part.classList.remove(...OWN);
  }
  for (const link of copy.querySelectorAll(".fix")) {
    link.remove();
  }
  for (const part of copy.querySelectorAll(`[${TIP}]`)) {
    addTitle(part);
    part.removeAttribute(TIP);
  }
  const theme = getComputedStyle(document.documentElement);
  const text = new XMLSerializer().serializeToString(copy);
  return text.replace(/var\((--vscode-[\w-]+),([^()]*)\)/g, (_, name: string, otherwise: string) => {
    const color = theme.getPropertyValue(name).trim();
    return color || otherwise;
  });
}

/** Removes the title until the pointer is on the part, because assistive software would read it as visible text. */
export function withoutTitle(part: Element): void {
  const title = part.querySelector(":scope > title");
  if (title) {
    part.setAttribute(TIP, title.textContent);
    title.remove();
  }
}

export function addTitle(part: Element): void {
  if (!part.querySelector(":scope > title")) {
    const title = document.createElementNS("http://www.w3.org/2000/svg", "title");
    title.textContent = part.getAttribute(TIP);
    part.prepend(title);
  }
}

/** Returns the unzoomed picture as a PNG in base 64. */
export async function asPng(svg: SVGSVGElement, size: Size): Promise<string> {
  const scale = Math.min(SCALE, Math.sqrt(MOST_PIXELS / (size.width * size.height)));
  const image = new Image();
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(asSvg(svg, size))}`;
  await image.decode();
  const canvas = document.createElement("canvas");
  canvas.width = Math.round(size.width * scale);
  canvas.height = Math.round(size.height * scale);
  canvas.getContext("2d")?.drawImage(image, 0, 0, canvas.width, canvas.height);
  return canvas.toDataURL("image/png").replace(/^data:image\/png;base64,/, "");
}
