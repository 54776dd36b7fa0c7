/** Writes one line for programs. A bigint is a string: it may be above 2^53. */
export function writeJson(value: object): string {
  return JSON.stringify(value, (_key, field) => (typeof field === 'bigint' ? `${field}` : field))
}
