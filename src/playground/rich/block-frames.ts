import type { RichBlock, RichText } from 'grammy/types'
import { literalTag, type RichContext } from './context.ts'
import type { Tag } from './html-tags.ts'
import { joinText, trimText } from './rich-text.ts'

/** The content of a block tag. */
export interface TagContent {
  blocks: RichBlock[]
  /** Parts that a tag inside handed to this one. */
  summary: RichText
  credit: RichText
}

/** A tag begun and not yet ended; the outermost one is the message, or the block around it. */
interface Frame extends TagContent {
  opener?: Tag
}

/** Pairs the block tags among the siblings of one level. */
export function createBlockFrames(context: RichContext) {
  const outermost = createFrame()
  const frames: Frame[] = [outermost]
  const top = () => frames.at(-1) ?? outermost
  return { add, tag, end }

  function add(block: RichBlock): void {
    top().blocks.push(block)
  }

  function tag(found: Tag): void {
    const { name, isEnd, isClosed } = found
    const { opener } = top()
    if (name === 'hr') add({ type: 'divider' })
    else if (!isEnd && !isClosed) frames.push(createFrame(found))
    else if (isEnd && opener?.name === name) close(frames.pop() ?? outermost, opener)
    else addLiteral(found)
  }

  function close(frame: Frame, opener: Tag): void {
    if (opener.name === 'summary') top().summary = textIn(frame)
    else if (opener.name === 'cite') top().credit = textIn(frame)
    else add(toTagBlock(frame, opener))
  }

  function end(): RichBlock[] {
    while (frames.length > 1) {
      const { opener, blocks } = frames.pop() ?? outermost
      if (opener) addLiteral(opener)
      for (const block of blocks) add(block)
    }
    return outermost.blocks
  }

  function addLiteral(found: Tag): void {
    add({ type: 'paragraph', text: literalTag(found, context) })
  }
}

function createFrame(opener?: Tag): Frame {
  return { ...(opener && { opener }), blocks: [], summary: '', credit: '' }
}

/** Makes the block that a tag stands for. */
export function toTagBlock(frame: TagContent, { name, attributes }: Tag): RichBlock {
  const credit = frame.credit === '' ? {} : { credit: frame.credit }
  switch (name) {
    case 'details': {
      const { summary, blocks } = frame
      return { type: 'details', summary, blocks, ...(attributes.has('open') && { is_open: true }) }
    }
    case 'blockquote':
      return attributes.has('expandable')
        ? { type: 'expandable_blockquote', text: textIn(frame), ...credit }
        : { type: 'blockquote', blocks: frame.blocks, ...credit }
    case 'aside':
      return { type: 'pullquote', text: textIn(frame), ...credit }
    case 'footer':
      return { type: 'footer', text: textIn(frame) }
    case 'tg-thinking':
      return { type: 'thinking', text: textIn(frame) }
    case 'p':
      return { type: 'paragraph', text: textIn(frame) }
    default:
      // The names end here with h1 to h6.
      return { type: 'heading', text: textIn(frame), size: Number(name.slice(1)) as 1 }
  }
}

/** Texts in a tag were parsed as paragraphs; here they are text again, one line each. */
function textIn({ blocks }: TagContent): RichText {
  const texts = blocks.flatMap((block) => ('text' in block ? [block.text] : []))
  return trimText(joinText(texts.flatMap((text, index) => (index > 0 ? ['\n', text] : [text]))))
}
