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
      {/* biome-ignore lint/a11y/useMediaCaption: a message has no captions beside its sound. */}
      <audio src={fileUrl(audio.file_unique_id)} controls preload="metadata" aria-label={label} />
    </div>
  )
}

function nameOf({ title, performer, file_name: fileName }: Partial<Audio>): string | undefined {
  if (title === undefined) return fileName
  return performer === undefined ? title : `${performer} — ${title}`
}
