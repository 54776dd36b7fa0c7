/** The longest side of a picture or clip in a message, in pixels of the page. */
const SIDE_MAX = 420
const SIDE_MIN = 120

/** The size at which a file is shown that does not name its own. */
const UNKNOWN = { width: 320, height: 240 }

export interface Size {
  width: number
  height: number
}

/**
 * How large media shows: as it is, unless that is too much or too little to see. Known before the bytes are
 * there, so that nothing jumps when they come.
 */
export function toShownSize({ width, height }: Partial<Size>): Size {
  if (!width || !height) return UNKNOWN
  const scale = Math.min(1, SIDE_MAX / Math.max(width, height))
  return {
    width: Math.max(SIDE_MIN, Math.round(width * scale)),
    height: Math.max(SIDE_MIN, Math.round(height * scale)),
  }
}
