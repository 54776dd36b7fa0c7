import { type Static, Type } from 'typebox'
import {
  VIDEO_DEFAULTS,
  VIDEO_DURATIONS,
  VIDEO_QUALITIES,
  type VideoRequest,
} from '../../../contract/video.ts'

/** Everything that the picture of a demo clip depends on. Stored as JSON with the task. */
export const DemoClip = Type.Object({
  prompt: Type.String(),
  duration: Type.Enum(VIDEO_DURATIONS),
  quality: Type.Enum(VIDEO_QUALITIES),
  upright: Type.Boolean(),
  fromImage: Type.Boolean(),
})
export type DemoClip = Static<typeof DemoClip>

/** More does not fit into a picture at a size that can be read. */
const PROMPT_GRAPHEMES_MAX = 400
/** A letter may carry any number of marks; the font shows a few. */
const GRAPHEME_CHARS_MAX = 8

// The font has the faces of U+1F600–1F64F and the older signs; all other emoji would be empty boxes.
const EMOJI_WITHOUT_GLYPH =
  /[\u{1f000}-\u{1f5ff}\u{1f650}-\u{1faff}\u{e0000}-\u{e0fff}]|[\u{fe00}-\u{fe0f}]|\u{20e3}/gu

/** Works out what to render for a checked request. The prompt becomes what the picture can show of it. */
export function planDemoClip(request: VideoRequest): DemoClip {
  const { duration = VIDEO_DEFAULTS.duration, quality = VIDEO_DEFAULTS.quality } = request
  return {
    prompt: toShownText(request.prompt),
    duration,
    quality,
    upright: request.aspect_ratio === '720:1280',
    fromImage: request.image_url !== undefined,
  }
}

/** Width and height of the clip in pixels, both even. */
export function clipSize({ quality, upright }: Pick<DemoClip, 'quality' | 'upright'>) {
  const [long, short] = quality === '1080p' ? [1920, 1080] : [1280, 720]
  return upright ? { width: short, height: long } : { width: long, height: short }
}

/** Splits a text into what readers take for single letters. */
export function splitGraphemes(text: string): string[] {
  return Array.from(new Intl.Segmenter().segment(text), ({ segment }) => segment)
}

/** One line without control characters, halves of letters or glyphs that the font lacks, cut with an ellipsis. */
export function toShownText(prompt: string): string {
  const text = prompt
    .toWellFormed()
    .replace(EMOJI_WITHOUT_GLYPH, '')
    .replace(/\p{Cf}/gu, '')
    .replace(/[\p{C}\p{Z}]+/gu, ' ')
    .trim()
  const graphemes = splitGraphemes(text).map((grapheme) => cutMarks(grapheme))
  if (graphemes.length === 0) return '…'
  if (graphemes.length <= PROMPT_GRAPHEMES_MAX) return graphemes.join('')
  return `${graphemes.slice(0, PROMPT_GRAPHEMES_MAX).join('').trimEnd()}…`
}

function cutMarks(grapheme: string): string {
  return Array.from(grapheme).slice(0, GRAPHEME_CHARS_MAX).join('')
}
