import type { Audio, Voice } from 'grammy/types'
import { words } from '../../words/language.ts'
import { fileUrl } from './file-url.ts'

/** Music or a voice, with what is known of it. */
export function AudioCard({ audio }: { audio: Audio | Voice }) {
  const { audio: audioWord, voice } = words.value.message
  const title = 'title' in audio || 'file_name' in audio ? nameOf(audio) : undefined
  const label = title ?? ('performer' in audio ? audioWord : voice)
  return (
    <div class="audio">
      {title === undefined ? null : <p class="cut audio-title">{title}</p>}
      <Player fileId={audio.file_unique_id} label={label} />
    </div>
  )
}

/** A sound that Telegram takes for a file, such as WAV: it is played all the same. */
export function SoundFile({ file }: { file: Pick<Audio, 'file_unique_id' | 'file_name'> }) {
  return (
    <div class="audio">
      <Player fileId={file.file_unique_id} label={file.file_name ?? words.value.message.audio} />
    </div>
  )
}

function Player({ fileId, label }: { fileId: string; label: string }) {
  // biome-ignore lint/a11y/useMediaCaption: a message has no captions beside its sound.
  return <audio src={fileUrl(fileId)} controls preload="metadata" aria-label={label} />
}

function nameOf({ title, performer, file_name: fileName }: Partial<Audio>): string | undefined {
  if (title === undefined) return fileName
  return performer === undefined ? title : `${performer} — ${title}`
}
