// Values over a line that both an old and a new V8 can read: JSON in which byte arrays stand as base64 with their type's name.
// (The `advanced` serialization of Node 24 has a version that Electron 22's V8 does not read.)
'use strict';

const TYPES = { Uint8Array, Int32Array, Float64Array, Float32Array, Uint32Array };
const KEY = '$typed';

/** @param {unknown} value @returns {string} */
function encode(value) {
  return JSON.stringify(value, (_key, item) => {
    if (item instanceof ArrayBuffer) return { [KEY]: 'ArrayBuffer', data: Buffer.from(item).toString('base64') };
    if (!ArrayBuffer.isView(item)) return item === undefined ? undefined : item;
    const name = Object.keys(TYPES).find((type) => item instanceof TYPES[type]) ?? 'Uint8Array';
    return { [KEY]: name, data: Buffer.from(item.buffer, item.byteOffset, item.byteLength).toString('base64') };
  });
}

/** @param {string} text @returns {unknown} */
function decode(text) {
  return JSON.parse(text, (_key, item) => {
    const name = item && typeof item === 'object' ? item[KEY] : undefined;
    if (typeof name !== 'string') return item;
    const bytes = Buffer.from(item.data, 'base64');
    const copy = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength);
    return name === 'ArrayBuffer' ? copy : new TYPES[name](copy);
  });
}

module.exports = { encode, decode };
