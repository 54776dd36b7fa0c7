import { findAtEnd, findAtStart, type Wording } from './wordings.ts'

/** The decision about a wording in a text. */
export type WordingVerdict =
  /** An option: it counts and leaves the description. */
  | 'take'
  /** An option and a word of the description: it counts, unless something else says it, and stays. */
  | 'keep'
  /** It may be either: its user is asked, unless something else says it. As an option it leaves. */
  | 'ask'
  /** The same, and as an option it stays. */
  | 'ask_keep'
  /** A word of the description; options may stand beyond it. */
  | 'pass'
  /** A word of the description, which begins or ends here. */
  | 'stop'

const SEPARATED_START = /^\s*(?:[,;:|)\]]|[.!](?=\s)|[-–—]\s|\n|$)/u
const SEPARATED_END = /(?:^|[,;:|([\n]|\s[-–—])\s*$/u
const ARTICLE_START = /^\s+(?:an?|the|my|our|one|some)\s/i
const OF_START = /^\s+(?:of|in|with)\b/i
/** "10 seconds to midnight", "5 секунд спустя". */
const TIME_START =
  /^\s+(?:to|before|after|later|until|till|from|left|ago|past|earlier|до|спустя|назад|после|позже)(?=\s|$)/iu
const HALF_OF_DAY_START = /^\s*(?:[ap]\.?m\b|o'clock|утра|дня|вечера|ночи)/iu
const CLIP_START =
  /^\s+(?:long\s)?(?:video|clip|film|movie|shot|loop|animation|sound|track|audio|видео|ролик|клип|фильм|звук|запись)/iu

const FOR_END = /(?:^|\s)(?:for|lasting|на|длиной)\s*$/iu
/** "runs 100 m in 10 seconds", "a screen with 1080p". */
const IN_END =
  /(?:^|\s)(?:an?|in|over|within|under|of|by|about|from|with|during|per|and|or|за|в|через|около|с|от|из|по|и|или)\s*$/iu
/** "in the 80s", "the last 10 seconds". */
const SPAN_END =
  /(?:^|\s)(?:the|last|first|next|every|than|until|till|before|after|последни[ех]|первы[ех]|кажды[ех]|до|после)\s*$/iu
const AT_END = /(?:^|\s)(?:at|by|until|till|around|before|after|since|к|до|с|после|около)\s*$/iu
const SCORE_END = /(?:^|\s)(?:score|счёт|счет|счётом|счетом)\s*$/iu
/** "does a 1080", "a castle in 1080". */
const FUNCTION_END =
  /(?:^|\s)(?:an?|the|in|of|from|to|at|by|since|year|в|на|из|до|с|от|год[ау]?|№)\s*$/iu

/** "4k" and "hd" describe in a list of so many parts. */
const LIST_PARTS = 2
const LIST_PARTS_READ = 40

/** Judges a wording with which a text begins. */
export function judgeAtStart({ says, form }: Wording, after: string): WordingVerdict {
  const isSeparate = SEPARATED_START.test(after) || ARTICLE_START.test(after)
  const isSetOff = isSeparate || findAtStart(after.trimStart()) !== undefined
  if ('duration' in says && TIME_START.test(after)) return 'stop'
  switch (form) {
    case 'exact':
      return 'duration' in says && OF_START.test(after) ? 'keep' : 'take'
    case 'adjective':
      if (isSetOff) return 'take'
      return CLIP_START.test(after) ? 'keep' : 'stop'
    case 'clock':
      return HALF_OF_DAY_START.test(after) ? 'stop' : 'take'
    case 'bare':
      return isSetOff ? 'take' : 'ask'
    case 'style':
    case 'adverb':
      return 'take'
    case 'direction':
      return isSetOff ? 'take' : 'keep'
    case 'square':
      return isSetOff ? 'take' : 'stop'
  }
}

/**
 * Judges a wording with which a text ends.
 *
 * @param isFollowed True if an option stood after it.
 */
export function judgeAtEnd(
  { says, form }: Wording,
  before: string,
  isFollowed: boolean,
): WordingVerdict {
  const isSetOff = SEPARATED_END.test(before) || findAtEnd(before.trimEnd()) !== undefined
  if ('duration' in says) {
    if (SPAN_END.test(before)) return 'stop'
    if (FOR_END.test(before)) return 'keep'
    return IN_END.test(before) ? 'ask_keep' : 'take'
  }
  switch (form) {
    case 'exact':
    case 'adjective':
      if (SCORE_END.test(before)) return 'stop'
      return IN_END.test(before) ? 'ask_keep' : 'take'
    case 'clock':
      if (AT_END.test(before)) return 'stop'
      return /(?:^|\s)в\s*$/iu.test(before) ? 'keep' : 'take'
    case 'bare':
      if (isSetOff || isFollowed) return 'take'
      return FUNCTION_END.test(before) ? 'stop' : 'ask'
    case 'style':
      return isList(before) ? 'pass' : 'take'
    case 'adverb':
    case 'direction':
      return isSetOff || isFollowed ? 'take' : 'keep'
    case 'square':
      return isSetOff ? 'take' : 'stop'
  }
}

/** "a fox in the snow, cinematic, …": a list of what is to be seen, without options. */
function isList(text: string): boolean {
  const parts = text.split(/[,;\n]/, LIST_PARTS_READ).map((part) => part.trim())
  const described = parts.filter((part) => part !== '' && findAtStart(part)?.length !== part.length)
  return described.length >= LIST_PARTS
}
