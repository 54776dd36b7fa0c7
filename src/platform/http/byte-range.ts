/** A range of bytes, `end` included. */
export interface ByteRange {
  start: number
  end: number
}

/** Reads a `Range` header. Undefined means the whole file; `unsatisfiable` is the status 416. */
export function readByteRange(
  header: string | undefined,
  sizeBytes: number,
): ByteRange | 'unsatisfiable' | undefined {
  const [, first = '', last = ''] = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(header ?? '') ?? []
  if (first === '' && last === '') return undefined
  const end = sizeBytes - 1
  const range =
    first === ''
      ? { start: Math.max(0, sizeBytes - Number(last)), end }
      : { start: Number(first), end: last === '' ? end : Math.min(Number(last), end) }
  if (first !== '' && last !== '' && Number(last) < Number(first)) return undefined
  return range.start > end ? 'unsatisfiable' : range
}
