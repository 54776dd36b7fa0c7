import type { PhotoSize } from 'grammy/types'
import { words } from '../../words/language.ts'
import { Cover } from './cover.tsx'
import { fileUrl } from './file-url.ts'
import { toShownSize } from './media-size.ts'
import { openViewer } from './viewer.tsx'

/** A picture; a press shows it as large as the page. */
export function Photo({
  sizes,
  isCovered = false,
}: {
  sizes: readonly PhotoSize[]
  isCovered?: boolean
}) {
  const largest = sizes.toSorted((a, b) => a.width * a.height - b.width * b.height).at(-1)
  if (largest === undefined) return null
  const { width, height } = toShownSize(largest)
  const src = fileUrl(largest.file_unique_id)
  const { openPhoto, photo } = words.value.message
  return (
    <Cover isCovered={isCovered}>
      <button
        type="button"
        class="photo"
        aria-label={openPhoto}
        style={{ '--width': `${width}px`, '--ratio': `${width} / ${height}` }}
        onClick={() => openViewer({ src, width: largest.width, height: largest.height })}
      >
        <img src={src} alt={photo} width={width} height={height} loading="lazy" decoding="async" />
      </button>
    </Cover>
  )
}
