import type { Audio, Message, PhotoSize, Voice } from 'grammy/types'
import { useState } from 'preact/hooks'
import type { WireMessage } from '../../web/api.ts'
import { Icon } from '../parts/icons.tsx'
import { fileUrl } from '../state/request.ts'
import { formatSize } from '../words/dates.ts'
import { words } from '../words/language.ts'

const SIDE_MAX = 420
const SIDE_MIN = 120

interface Size {
  width: number
  height: number
}

interface NamedFile {
  file_id: string
  file_name?: string
  file_size?: number
}

export function Media({ wires }: { wires: readonly WireMessage[] }) {
  const [wire, ...others] = wires
  if (wire === undefined) return null
  const isVisual = isPicture(wire.message)
  const looks = isVisual ? 'album' : 'stack'
  if (others.length === 0 && !isVisual) return <OneMedia message={wire.message} />
  return (
    <div class={others.length === 0 ? 'picture' : looks}>
      {wires.map(({ message }) => (
        <OneMedia key={message.message_id} message={message} />
      ))}
    </div>
  )
}

export function isPicture({ photo, video }: Message): boolean {
  return photo !== undefined || video !== undefined
}

function OneMedia({ message }: { message: Message }) {
  if (message.photo) return <Photo sizes={message.photo} />
  if (message.video) return <Video video={message.video} />
  if (message.audio) return <AudioCard audio={message.audio} />
  if (message.voice) return <AudioCard audio={message.voice} />
  const { document } = message
  if (document === undefined) return null
  return (
    <>
      <FileCard file={document} />
      {/* Telegram sends some sounds as files, such as WAV. */}
      {document.mime_type?.startsWith('audio/') ? (
        <Player id={document.file_id} label={document.file_name} />
      ) : null}
    </>
  )
}

function Photo({ sizes }: { sizes: readonly PhotoSize[] }) {
  const largest = sizes.toSorted((a, b) => a.width * a.height - b.width * b.height).at(-1)
  if (largest === undefined) return null
  const { width, height } = toShownSize(largest)
  const src = fileUrl(largest.file_id)
  const { kinds, openPhoto } = words.value.message
  return (
    <a
      class="photo"
      href={src}
      target="_blank"
      rel="noopener"
      aria-label={openPhoto}
      style={{ '--width': `${width}px`, '--ratio': `${width} / ${height}` }}
    >
      <img src={src} alt={kinds.photo} {...{ width, height }} loading="lazy" decoding="async" />
    </a>
  )
}

/** Shows a video; as a file if the browser cannot play it. */
function Video({ video }: { video: NonNullable<Message['video']> }) {
  const [isBroken, setBroken] = useState(false)
  if (isBroken) return <FileCard file={video} />
  const { width, height } = toShownSize(video)
  return (
    // A video without a frame around it would not widen its bubble.
    <div class="clip" style={{ '--width': `${width}px`, '--ratio': `${width} / ${height}` }}>
      {/* biome-ignore lint/a11y/useMediaCaption: a message has no captions for its video. */}
      <video
        src={fileUrl(video.file_id)}
        width={width}
        height={height}
        aria-label={video.file_name ?? words.value.message.kinds.video}
        preload="metadata"
        playsInline
        controls
        onError={() => setBroken(true)}
      />
    </div>
  )
}

/** Returns the size of media in a message. Known before the bytes are loaded, so nothing jumps. */
function toShownSize({ width, height }: Size): Size {
  if (!width || !height) return { width: 320, height: 240 }
  const scale = Math.min(1, SIDE_MAX / Math.max(width, height))
  return {
    width: Math.max(SIDE_MIN, Math.round(width * scale)),
    height: Math.max(SIDE_MIN, Math.round(height * scale)),
  }
}

function AudioCard({ audio }: { audio: Audio | Voice }) {
  const { kinds } = words.value.message
  const { title, performer, file_name: fileName } = audio as Partial<Audio>
  const name = title && performer ? `${performer} — ${title}` : (title ?? fileName)
  return (
    <div class="audio">
      {name === undefined ? null : <p class="cut audio-title">{name}</p>}
      <Player id={audio.file_id} label={name ?? kinds.voice} />
    </div>
  )
}

function Player({ id, label }: { id: string; label: string | undefined }) {
  const { kinds } = words.value.message
  return (
    // biome-ignore lint/a11y/useMediaCaption: a message has no captions for its sound.
    <audio src={fileUrl(id)} controls preload="metadata" aria-label={label ?? kinds.audio} />
  )
}

function FileCard({ file }: { file: NamedFile }) {
  const { download, kinds } = words.value.message
  const name = file.file_name ?? kinds.document
  return (
    <a
      class="file"
      href={fileUrl(file.file_id)}
      download={name}
      aria-label={`${download}: ${name}`}
    >
      <span class="file-icon">
        <Icon name="download" />
      </span>
      <span class="file-name">{name}</span>
      {file.file_size === undefined ? null : (
        <span class="hint small num">{formatSize(file.file_size)}</span>
      )}
    </a>
  )
}
