import {
  IMAGE_ASPECT_RATIOS,
  IMAGE_DEFAULTS,
  IMAGE_LABEL,
  type ImageAspectRatio,
  MEDIA_KINDS,
  type MediaKind,
  type MediaRequest,
  SOUND_DEFAULTS,
  SOUND_LABEL,
  SOUND_SECONDS_MAX,
  VIDEO_DEFAULTS,
  VIDEO_DURATIONS,
  VIDEO_QUALITIES,
  type VideoAspectRatio,
  type VideoQuality,
  videoLabel,
} from '../../contract/tasks.ts'

export interface OptionValues {
  /** Seconds. */
  duration: number
  quality: VideoQuality
  /** Width to height. */
  shape: ImageAspectRatio
}
export type OptionName = keyof OptionValues

/** A choice of a kind's options. A missing option has the kind's default, or the kind does not have it. */
export type MediaOptions = { readonly [Name in OptionName]?: OptionValues[Name] | undefined }

type Values = { readonly [Name in OptionName]?: readonly OptionValues[Name][] }

interface KindOptions {
  /** In the order in which a card shows the options. */
  values: Values
  /** The values that buttons show, if not all. */
  shown?: Values
  defaults: MediaOptions
}

/** Pairs that do not exist: `exists()`. */
export const CATALOG: Readonly<Record<MediaKind, KindOptions>> = {
  video: {
    values: { duration: VIDEO_DURATIONS, quality: VIDEO_QUALITIES, shape: ['16:9', '9:16'] },
    defaults: { ...VIDEO_DEFAULTS, shape: '16:9' },
  },
  image: {
    values: { shape: IMAGE_ASPECT_RATIOS },
    defaults: { shape: IMAGE_DEFAULTS.aspect_ratio },
  },
  sound: {
    values: { duration: Array.from({ length: SOUND_SECONDS_MAX }, (_, index) => index + 1) },
    shown: { duration: [5, 10, 20, SOUND_SECONDS_MAX] },
    defaults: SOUND_DEFAULTS,
  },
}

/** A video made from a picture has the picture's shape. */
export function optionNames(kind: MediaKind, { hasPicture = false } = {}): OptionName[] {
  const names = Object.keys(CATALOG[kind].values) as OptionName[]
  return hasPicture ? names.filter((name) => name !== 'shape') : names
}

/** Returns no values if the kind does not have the option. */
export function shownValues<Name extends OptionName>(
  kind: MediaKind,
  name: Name,
): readonly OptionValues[Name][] {
  const { shown, values } = CATALOG[kind]
  return shown?.[name] ?? values[name] ?? []
}

/** Checks whether a kind has these values and can combine them. */
export function exists(kind: MediaKind, options: MediaOptions): boolean {
  const { duration, quality } = complete(kind, options)
  if (kind === 'video' && duration === 10 && quality === '1080p') return false
  const given = (Object.keys(options) as OptionName[]).filter((name) => options[name] !== undefined)
  return given.every((name) => isValue(kind, name, options))
}

/** Fills in defaults of missing and unknown values, and drops options of other kinds; does not check pairs. */
export function complete(kind: MediaKind, options: MediaOptions): MediaOptions {
  const given = optionNames(kind).filter((name) => isValue(kind, name, options))
  return {
    ...CATALOG[kind].defaults,
    ...Object.fromEntries(given.map((name) => [name, options[name]])),
  }
}

/** Earlier options exclude later options that do not combine with them. */
export function combine(kind: MediaKind, ...given: MediaOptions[]): MediaOptions {
  let combined: MediaOptions = {}
  for (const [name, value] of given.flatMap(Object.entries)) {
    const added = { [name]: value, ...combined }
    if (exists(kind, added)) combined = added
  }
  return complete(kind, combined)
}

export function labelOf(kind: MediaKind, options: MediaOptions): string {
  switch (kind) {
    case 'video':
      return videoLabel(toVideoFields(options))
    case 'image':
      return IMAGE_LABEL
    case 'sound':
      return SOUND_LABEL
  }
}

export function labelsOf(kind: MediaKind): { label: string; options: MediaOptions }[] {
  if (kind !== 'video') return [{ label: labelOf(kind, {}), options: {} }]
  return VIDEO_QUALITIES.flatMap((quality) =>
    VIDEO_DURATIONS.map((duration) => ({ duration, quality })),
  )
    .filter((options) => exists(kind, options))
    .map((options) => ({ label: labelOf(kind, options), options }))
}

/** Returns undefined for a chat model, and for an unknown label of a remote service. */
export function readLabel(label: string): { kind: MediaKind; options: MediaOptions } | undefined {
  return LABELLED.get(label)
}

const LABELLED = new Map(
  MEDIA_KINDS.flatMap((kind) =>
    labelsOf(kind).map(({ label, options }) => [label, { kind, options }] as const),
  ),
)

/** With `imageUrl` a video has the picture's shape. @throws {RangeError} If the choice does not exist. */
export function toRequest(
  kind: MediaKind,
  {
    prompt,
    options,
    imageUrl,
  }: { prompt: string; options: MediaOptions; imageUrl?: string | undefined },
): MediaRequest {
  if (!exists(kind, options)) throw new RangeError(`Cannot order ${kind}: no such options`)
  const { shape = '1:1', duration } = complete(kind, options)
  switch (kind) {
    case 'video': {
      const fields = { prompt, ...toVideoFields(options) }
      const seen =
        imageUrl === undefined ? { aspect_ratio: toPixels(shape) } : { image_url: imageUrl }
      return { kind, request: { ...fields, ...seen } }
    }
    case 'image':
      return { kind, request: { prompt, aspect_ratio: shape } }
    case 'sound':
      return { kind, request: { prompt, ...(duration !== undefined && { duration }) } }
  }
}

export function toOptions({ kind, request }: MediaRequest): MediaOptions {
  switch (kind) {
    case 'video': {
      const { duration, quality, aspect_ratio } = request
      return complete(kind, { duration, quality, shape: aspect_ratio && toShape(aspect_ratio) })
    }
    case 'image':
      return complete(kind, { shape: request.aspect_ratio })
    case 'sound':
      return complete(kind, { duration: request.duration })
  }
}

function isValue(kind: MediaKind, name: OptionName, options: MediaOptions): boolean {
  const values: readonly unknown[] = CATALOG[kind].values[name] ?? []
  return values.includes(options[name])
}

function toVideoFields(options: MediaOptions) {
  const { duration, quality } = complete('video', options)
  return {
    duration: VIDEO_DURATIONS.find((known) => known === duration) ?? VIDEO_DEFAULTS.duration,
    quality: quality ?? VIDEO_DEFAULTS.quality,
  }
}

function toPixels(shape: ImageAspectRatio): VideoAspectRatio {
  return shape === '9:16' ? '720:1280' : '1280:720'
}

function toShape(aspectRatio: VideoAspectRatio): ImageAspectRatio {
  return aspectRatio === '720:1280' ? '9:16' : '16:9'
}
