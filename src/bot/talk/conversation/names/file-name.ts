/** The characters that some file system refuses, and those that nobody can see. */
const REFUSED = /[\p{C}\\/:*?"<>|]/gu

/**
 * Names a file after what it is about, and a day.
 *
 * @param day Such as "2026-11-21".
 */
export function toFileName(
  title: string,
  { day, extension }: { day: string; extension: string },
): string {
  const words = title.normalize().replace(REFUSED, ' ').replace(/\s+/g, ' ')
  // A name that begins with a point is hidden, and some take none at its end.
  const name = words.replace(/^[\s.]+|[\s.]+$/g, '')
  return `${name === '' ? '' : `${name} `}${day}.${extension}`
}
