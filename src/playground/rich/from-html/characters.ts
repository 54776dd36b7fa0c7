const CHARACTERS = new Map([
  ['lt', '<'],
  ['gt', '>'],
  ['amp', '&'],
  ['quot', '"'],
  ['apos', "'"],
  ['nbsp', '\u00a0'],
  ['hellip', '…'],
  ['mdash', '—'],
  ['ndash', '–'],
  ['lsquo', '‘'],
  ['rsquo', '’'],
  ['ldquo', '“'],
  ['rdquo', '”'],
])
const CODE_POINT_MAX = 0x10ffff

/** Reads `&lt;` and its like. Rich HTML knows these names and every number; anything else stays as it is. */
export function decodeCharacters(text: string): string {
  return text.replace(
    /&(?:#x([0-9a-f]+)|#(\d+)|([a-z]+));/gi,
    (found, hex?: string, decimal?: string, name = '') => {
      const code = hex ? Number.parseInt(hex, 16) : Number(decimal)
      const isSurrogate = code >= 0xd800 && code <= 0xdfff
      const isCode = code > 0 && code <= CODE_POINT_MAX && !isSurrogate
      return (isCode ? String.fromCodePoint(code) : CHARACTERS.get(name)) ?? found
    },
  )
}
