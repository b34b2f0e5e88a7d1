/** Updates only the changed parts of a picture, because the browser lays out every modified element. */

/** Makes `old` equal to `made`; returns whether anything changed. Parts of `made` may move into `old`. */
export function redraw(old: Element, made: Element): boolean {
  if (old.isEqualNode(made)) {
    return false;
  }
  if (old.nodeName !== made.nodeName) {
    old.replaceWith(made);
    return true;
  }
  for (const name of old.getAttributeNames()) {
    if (!made.hasAttribute(name)) {
      old.removeAttribute(name);
    }
  }
  for (const name of made.getAttributeNames()) {
    const value = made.getAttribute(name) ?? "";
    if (old.getAttribute(name) !== value) {
      old.setAttribute(name, value);
    }
  }
  // Mixed text and elements are replaced as a whole; all other elements have only element children.
  if (made.nodeName === "text" || made.childElementCount === 0 || old.childElementCount === 0) {
    old.replaceChildren(...made.childNodes);
    return true;
  }
  const [before, after] = [[...old.children], [...made.children]];
  const shorter = Math.min(before.length, after.length);
  let first = 0;
  while (first < shorter && before[first]?.isEqualNode(after[first] ?? null)) {
    first++;
  }
  // Added and removed parts are between the unchanged parts at the beginning and the moved parts at the end.
  const kept = shorter - first;
  const gone = before.slice(first, before.length - kept);
  const come = after.slice(first, after.length - kept);
  const below = before.slice(before.length - kept);
  for (const [at, part] of below.entries()) {
    redraw(part, after[after.length - kept + at] as Element);
  }
  for (const part of gone) {
    part.remove();
  }
  const next = old.children[first];
  for (const part of come) {
    old.insertBefore(part, next ?? null);
  }
  return true;
}
