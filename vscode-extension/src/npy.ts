/** Reads arrays in NumPy's file format, versions 1 to 3: plain numbers only, row by row. */

export interface NpyArray {
  shape: number[];
  elements: (number | string)[];
}

type Read = (view: DataView, at: number, little: boolean) => number | string;

/** The readers by kind and size in bytes of an element. Integers of 8 bytes are rounded to JavaScript's numbers. */
const READERS: Record<string, Read> = {
  b1: (view, at) => view.getUint8(at),
  i1: (view, at) => view.getInt8(at),
  i2: (view, at, little) => view.getInt16(at, little),
  i4: (view, at, little) => view.getInt32(at, little),
  i8: (view, at, little) => Number(view.getBigInt64(at, little)),
  u1: (view, at) => view.getUint8(at),
  u2: (view, at, little) => view.getUint16(at, little),
  u4: (view, at, little) => view.getUint32(at, little),
  u8: (view, at, little) => Number(view.getBigUint64(at, little)),
  f2: (view, at, little) => half(view.getUint16(at, little)),
  f4: (view, at, little) => finite(view.getFloat32(at, little)),
  f8: (view, at, little) => finite(view.getFloat64(at, little)),
};

/** Reads an array, at most its first `most` elements. Throws an Error that describes why a file cannot be read. */
export function readNpy(bytes: Uint8Array, most: number): NpyArray {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (
    bytes.byteLength < 12 ||
    String.fromCharCode(...bytes.subarray(1, 6)) !== "NUMPY" ||
    bytes[0] !== 0x93
  ) {
    throw new Error("this is not an .npy file");
  }
  const isFirst = bytes[6] === 1;
  const begin = isFirst ? 10 : 12;
  const length = isFirst ? view.getUint16(8, true) : view.getUint32(8, true);
  const header = new TextDecoder().decode(bytes.subarray(begin, begin + Math.min(length, 10_000)));
  const type = /'descr': *'([<>|=])([a-z]\d)'/.exec(header);
  const dimensions = /'shape': *\(([\d, ]*)\)/.exec(header)?.[1];
  const read = READERS[type?.[2] ?? ""];
  if (!type || !read || dimensions === undefined) {
    throw new Error("only arrays of numbers can be compared");
  }
  if (header.includes("'fortran_order': True")) {
    throw new Error("the array is stored column by column");
  }
  const shape = dimensions.split(",").flatMap((each) => (each.trim() ? [Number(each)] : []));
  const size = shape.reduce((product, extent) => product * extent, 1);
  const width = Number(type[2]?.slice(1));
  if (begin + length + size * width > bytes.byteLength) {
    throw new Error("the file ends before its array does");
  }
  const elements = Array.from({ length: Math.min(size, most) }, (_, number) =>
    read(view, begin + length + number * width, type[1] !== ">"),
  );
  return { shape, elements };
}

/** Returns a number in the form that reports use: a string if JSON cannot represent it. */
function finite(value: number): number | string {
  return Number.isNaN(value) ? "nan" : Number.isFinite(value) ? value : value > 0 ? "inf" : "-inf";
}

function half(bits: number): number | string {
  const sign = bits & 0x8000 ? -1 : 1;
  const exponent = (bits >> 10) & 0x1f;
  const fraction = bits & 0x3ff;
  if (exponent === 0x1f) {
    return finite(fraction ? NaN : sign * Infinity);
  }
  return sign * (exponent ? 2 ** (exponent - 15) * (1 + fraction / 1024) : 2 ** -14 * (fraction / 1024));
}
