import { useState } from 'preact/hooks'
import { words } from '../../words/language.ts'
import { Cover } from './cover.tsx'
import { FileCard, type NamedFile } from './file-card.tsx'
import { fileUrl } from './file-url.ts'
import { type Size, toShownSize } from './media-size.ts'

interface ClipProps {
  clip: NamedFile & Partial<Size>
  isCovered?: boolean
  /** An animation: without sound, over and over. */
  isLoop?: boolean
  isRound?: boolean
}

/** A video that plays where it stands; as a file where the browser cannot play it. */
export function Clip({ clip, isCovered = false, isLoop = false, isRound = false }: ClipProps) {
  const [isBroken, setBroken] = useState(false)
  if (isBroken) return <FileCard file={clip} />
  const { width, height } = toShownSize(clip)
  const isStill = matchMedia('(prefers-reduced-motion: reduce)').matches
  return (
    <Cover isCovered={isCovered}>
      {/* In a frame: a clip by itself would count as of no width where its bubble is measured. */}
      <div
        class={isRound ? 'clip clip-round' : 'clip'}
        style={{ '--width': `${width}px`, '--ratio': `${width} / ${height}` }}
      >
        <video
          src={fileUrl(clip.file_unique_id)}
          width={width}
          height={height}
          aria-label={clip.file_name ?? words.value.message.video}
          preload="metadata"
          playsInline
          controls={!isLoop || isStill}
          loop={isLoop}
          muted={isLoop}
          autoplay={isLoop && !isStill && !isCovered}
          onError={() => setBroken(true)}
        />
      </div>
    </Cover>
  )
}
