import { signal } from '@preact/signals'
import type {
  RichBlock,
  RichBlockListItem,
  RichBlockTable,
  RichMessage,
  RichText as Text,
} from 'grammy/types'
import type { ComponentChildren } from 'preact'
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks'
import { Icon } from '../parts/icons.tsx'
import { words } from '../words/language.ts'
import { showFlash } from './scroll.ts'
import { CodeBlock, DateTime, FORMATS, Link } from './text.tsx'

/** Elements of formats that only rich texts have. */
const RICH_FORMATS: Readonly<Record<string, 'sub' | 'sup' | 'mark'>> = {
  subscript: 'sub',
  superscript: 'sup',
  marked: 'mark',
}

export function RichBody({ rich }: { rich: RichMessage }) {
  return (
    <div class="rich" dir={rich.is_rtl ? 'rtl' : undefined}>
      <Blocks blocks={rich.blocks} />
    </div>
  )
}

function Blocks({ blocks }: { blocks: readonly RichBlock[] }) {
  return (
    <>
      {blocks.map((block, index) => (
        // A block that grows keeps its index, so what the reader has opened in it stays open.
        <Block key={`${index}${block.type}`} block={block} />
      ))}
    </>
  )
}

function Block({ block }: { block: RichBlock }) {
  switch (block.type) {
    case 'heading':
      return (
        // biome-ignore lint/a11y/useSemanticElements: HTML has no h7 below the headings of the page.
        <div
          class={`heading heading-${block.size}`}
          role="heading"
          aria-level={Math.min(block.size + 1, 6)}
        >
          <RichText text={block.text} />
        </div>
      )
    case 'pre':
      return (
        <CodeBlock language={block.language}>
          <RichText text={block.text} />
        </CodeBlock>
      )
    case 'divider':
      return <hr />
    case 'mathematical_expression':
      return <Formula expression={block.expression} isBlock />
    case 'list':
      return <List items={block.items} />
    case 'blockquote':
      return (
        <blockquote class="quotation">
          <div class="rich-inside">
            <Blocks blocks={block.blocks} />
          </div>
        </blockquote>
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
            <Blocks blocks={block.blocks} />
          </div>
        </details>
      )
    default:
      // A block that this page does not know is shown as plain text.
      return 'text' in block ? (
        <p>
          <RichText text={block.text} />
        </p>
      ) : null
  }
}

function List({ items }: { items: readonly RichBlockListItem[] }) {
  const Tag = items.some(({ value }) => value !== undefined) ? 'ol' : 'ul'
  return (
    <Tag class="rich-list">
      {items.map((item, index) => (
        <li key={index}>
          <ItemLabel item={item} />
          <div class="rich-inside">
            <Blocks blocks={item.blocks} />
          </div>
        </li>
      ))}
    </Tag>
  )
}

function ItemLabel({ item }: { item: RichBlockListItem }) {
  if (item.has_checkbox !== true) return <span class="rich-label">{item.label}</span>
  const { taskDone, taskOpen } = words.value.message
  const isDone = item.is_checked === true
  return (
    <span
      class={isDone ? 'rich-task rich-task-done' : 'rich-task'}
      role="img"
      aria-label={isDone ? taskDone : taskOpen}
    >
      {isDone ? <Icon name="check" /> : null}
    </span>
  )
}

/** Shows a table, which scrolls sideways if it is wider than its message. */
function Table({ block }: { block: RichBlockTable }) {
  return (
    <section
      class="rich-table-window"
      aria-label={words.value.message.table}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a wide table must be scrolled by keyboard as well.
      tabIndex={0}
    >
      <table class="rich-table">
        <tbody>
          {block.cells.map((row, rowIndex) => (
            <tr key={rowIndex}>
              {row.map((cell, index) => {
                const Tag = cell.is_header ? 'th' : 'td'
                return (
                  <Tag key={index} style={{ textAlign: cell.align }}>
                    <RichText text={cell.text} />
                  </Tag>
                )
              })}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}

function RichText({ text }: { text: Text | undefined }) {
  if (text === undefined || typeof text === 'string') return <>{text}</>
  if (Array.isArray(text)) {
    return (
      <>
        {text.map((part, index) => (
          <RichText key={index} text={part} />
        ))}
      </>
    )
  }
  if (text.type === 'mathematical_expression') {
    return <Formula expression={text.expression} isBlock={false} />
  }
  return 'text' in text ? <Formatted text={text} /> : null
}

type FormattedText = Extract<Exclude<Text, string | Text[]>, { text: Text }>

function Formatted({ text }: { text: FormattedText }) {
  const inside = <RichText text={text.text} />
  const Tag = FORMATS[text.type] ?? RICH_FORMATS[text.type]
  if (Tag !== undefined) return <Tag>{inside}</Tag>
  switch (text.type) {
    case 'url':
      return <Link address={text.url}>{inside}</Link>
    case 'email_address':
      return <Link address={`mailto:${text.email_address}`}>{inside}</Link>
    case 'phone_number':
      return <Link address={`tel:${text.phone_number}`}>{inside}</Link>
    case 'date_time':
      return (
        <DateTime unixTime={text.unix_time} format={text.date_time_format}>
          {inside}
        </DateTime>
      )
    case 'reference_link':
      return <ReferenceLink name={text.reference_name}>{inside}</ReferenceLink>
    case 'reference':
      return (
        <span class="hint" data-anchor={text.name}>
          <sup>{text.name}</sup> {inside}
        </span>
      )
    default:
      return inside
  }
}

/** Shows a link to a footnote of the same message. */
function ReferenceLink({ name, children }: { name: string; children: ComponentChildren }) {
  return (
    <sup>
      <button
        type="button"
        class="word-link"
        onClick={({ currentTarget: link }) => {
          const anchors = link.closest('.rich')?.querySelectorAll<HTMLElement>('[data-anchor]')
          const target = [...(anchors ?? [])].find(({ dataset }) => dataset.anchor === name)
          if (target === undefined) return
          target.closest('details')?.setAttribute('open', '')
          showFlash(target, 'start')
        }}
      >
        {children}
      </button>
    </sup>
  )
}

type Katex = typeof import('katex').default

/** The library that draws formulas; undefined until the first formula has loaded it. */
const katex = signal<Katex | undefined>(undefined)

let isLoading = false

/** Shows a formula; its source until the library is loaded, and if the source is not valid. */
function Formula({ expression, isBlock }: { expression: string; isBlock: boolean }) {
  const host = useRef<HTMLElement>(null)
  const library = katex.value
  useEffect(load, [])
  useLayoutEffect(() => {
    if (library === undefined || host.current === null) return
    try {
      // Drawn into an element: the page's policy rejects style attributes in a string of HTML.
      const options = { displayMode: isBlock, strict: 'ignore', maxSize: 20 } as const
      library.render(expression, host.current, options)
      host.current.classList.remove('formula-source')
    } catch {
      host.current.textContent = expression
      host.current.classList.add('formula-source')
    }
  }, [library, expression, isBlock])
  const drawn = (
    <span class={isBlock ? undefined : 'formula'} ref={host}>
      {library === undefined ? expression : null}
    </span>
  )
  if (!isBlock) return drawn
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a wide formula must be scrolled by keyboard as well.
    <div class="formula-block" tabIndex={0}>
      {drawn}
    </div>
  )
}

function load(): void {
  if (isLoading) return
  isLoading = true
  Promise.all([import('katex'), import('katex/dist/katex.min.css')]).then(
    ([{ default: loaded }]) => {
      katex.value = loaded
    },
    (error: unknown) => {
      // The next formula tries again.
      console.warn('Cannot load library of formulas', error)
      isLoading = false
    },
  )
}
