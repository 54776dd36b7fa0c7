/** Stands for any origin in a list of those whose pages may call from a browser. */
export const ANY_ORIGIN = '*'

/** @returns An origin as browsers send it, or `ANY_ORIGIN`. Pages in apps and extensions have schemes of their own. */
export function parseCorsOrigin(text: string): string | undefined {
  if (text === ANY_ORIGIN) return text
  const url = URL.parse(text)
  if (url === null || url.host === '' || url.host.includes('*')) return undefined
  const origin = `${url.protocol}//${url.host}`
  return url.href === origin || url.href === `${origin}/` ? origin : undefined
}
