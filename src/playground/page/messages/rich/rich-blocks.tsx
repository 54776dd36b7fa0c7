import type {
  RichBlock,
  RichBlockButtons,
  RichBlockMap,
  RichBlockSectionHeading,
  RichMessageButton,
  RichText as Text,
} from 'grammy/types'
import type { ComponentChildren } from 'preact'
import { AudioCard } from '../media/audio-card.tsx'
import { Clip } from '../media/clip.tsx'
import { FileCard } from '../media/file-card.tsx'
import { LocationCard } from '../media/location-card.tsx'
import { Photo } from '../media/photo.tsx'
import { CodeBlock } from '../text/code-block.tsx'
import { Expandable } from '../text/expandable.tsx'
import { Captioned } from './captioned.tsx'
import { Formula } from './formula.tsx'
import { Collage, Slideshow } from './galleries.tsx'
import { RichButton } from './message-button.tsx'
import { RichList } from './rich-list.tsx'
import { RichText } from './rich-text.tsx'
import { Table } from './table.tsx'
import { Thinking } from './thinking.tsx'

/** Headings of a message stand below those of the page, however large their letters are. */
const HIGHEST_LEVEL = 2

/** The blocks of a rich message, one below the other. */
export function RichBlocks({ blocks }: { blocks: readonly RichBlock[] }) {
  return (
    <>
      {blocks.map((block, index) => (
        // A block that grows keeps its index, and so what its reader has opened or scrolled in it.
        <Block key={`${index}${block.type}`} block={block} />
      ))}
    </>
  )
}

function Block({ block }: { block: RichBlock }) {
  switch (block.type) {
    case 'paragraph':
      return (
        <p>
          <RichText text={block.text} />
        </p>
      )
    case 'heading':
      return <Heading block={block} />
    case 'pre':
      return (
        <CodeBlock language={block.language}>
          <RichText text={block.text} />
        </CodeBlock>
      )
    case 'footer':
      return (
        <p class="hint small">
          <RichText text={block.text} />
        </p>
      )
    case 'divider':
      return <hr />
    case 'mathematical_expression':
      return <Formula expression={block.expression} isBlock />
    case 'anchor':
      return <span data-anchor={block.name} />
    case 'list':
      return <RichList block={block} show={(blocks) => <RichBlocks blocks={blocks} />} />
    case 'blockquote':
      return (
        <Quotation credit={block.credit}>
          <RichBlocks blocks={block.blocks} />
        </Quotation>
      )
    case 'expandable_blockquote':
      return (
        <Quotation credit={block.credit}>
          <Expandable>
            <RichText text={block.text} />
          </Expandable>
        </Quotation>
      )
    case 'pullquote':
      return (
        <Quotation credit={block.credit} isPulled>
          <RichText text={block.text} />
        </Quotation>
      )
    case 'table':
      return <Table block={block} />
    case 'details':
      return (
        <details open={block.is_open === true}>
          <summary>
            <RichText text={block.summary} />
          </summary>
          <div class="rich-inside">
            <RichBlocks blocks={block.blocks} />
          </div>
        </details>
      )
    case 'map':
      return <MapBlock block={block} />
    case 'buttons':
      return <ButtonRow buttons={block.buttons} align={block.align} />
    case 'thinking':
      return <Thinking text={block.text} />
    default:
      return <MediaBlock block={block} />
  }
}

type WithCaption = Extract<
  RichBlock,
  {
    type:
      | 'collage'
      | 'slideshow'
      | 'photo'
      | 'video'
      | 'animation'
      | 'audio'
      | 'voice_note'
      | 'document'
  }
>

function MediaBlock({ block }: { block: WithCaption }) {
  return (
    <Captioned caption={block.caption}>
      <Media block={block} />
    </Captioned>
  )
}

function toSlide(block: RichBlock, index: number) {
  return <Block key={index} block={block} />
}

function Media({ block }: { block: WithCaption }) {
  switch (block.type) {
    case 'collage':
      return (
        <Collage>
          <RichBlocks blocks={block.blocks} />
        </Collage>
      )
    case 'slideshow':
      return <Slideshow slides={block.blocks.map(toSlide)} />
    case 'photo':
      return <Photo sizes={block.photo} isCovered={block.has_spoiler === true} />
    case 'video':
      return <Clip clip={block.video} isCovered={block.has_spoiler === true} />
    case 'animation':
      return <Clip clip={block.animation} isCovered={block.has_spoiler === true} isLoop />
    case 'audio':
      return <AudioCard audio={block.audio} />
    case 'voice_note':
      return <AudioCard audio={block.voice_note} />
    case 'document':
      return <FileCard file={block.document} />
    default:
      // A block that this page does not know yet shows as nothing rather than as a broken message.
      return null
  }
}

/** Buttons of a rich message in one row. */
function ButtonRow({
  buttons,
  align,
}: {
  buttons: readonly RichMessageButton[]
  align: RichBlockButtons['align']
}) {
  return (
    <div class="chip-row" data-align={align}>
      {buttons.map((button, index) => (
        <RichButton key={index} button={button}>
          <RichText text={button.text} />
        </RichButton>
      ))}
    </div>
  )
}

/** A heading; the largest has size 1. */
function Heading({ block: { size, text } }: { block: RichBlockSectionHeading }) {
  return (
    // An element for each size would be h2 to h7, which HTML does not have.
    // biome-ignore lint/a11y/useSemanticElements: see above.
    <div
      class={`heading heading-${size}`}
      role="heading"
      aria-level={Math.min(size + HIGHEST_LEVEL - 1, 6)}
    >
      <RichText text={text} />
    </div>
  )
}

/** A map in words: its picture would be a request to somebody else's server. */
function MapBlock({ block }: { block: RichBlockMap }) {
  return (
    <Captioned caption={block.caption}>
      <LocationCard location={block.location} />
    </Captioned>
  )
}

interface QuotationProps {
  credit: Text | undefined
  /** Drawn out to the middle, instead of standing beside the text. */
  isPulled?: boolean
  children: ComponentChildren
}

/** Quotes somebody else, with their name. */
function Quotation({ credit, isPulled = false, children }: QuotationProps) {
  return (
    <blockquote class={isPulled ? 'pulled' : 'quotation'}>
      <div class="rich-inside">{children}</div>
      {credit === undefined ? null : (
        <cite class="hint small">
          <RichText text={credit} />
        </cite>
      )}
    </blockquote>
  )
}
