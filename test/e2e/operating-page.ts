/** One fenced block of a page, and what the line above it says of it. */
export interface Block {
  /** The heading that it stands below. */
  section: string
  language: string
  text: string
  /** Its name where it is a file. */
  file?: string
  /** Why no test can run it. */
  notRun?: string
  keepsRunning: boolean
  exitStatus: number
  /** The output, where the page shows it; `…` stands for anything within a line, or for any lines. */
  prints?: string
}

const FENCE =
  /(?:^<!-- (?<says>[^\n]*) -->\n|^\*Not run by the test: (?<notRun>[^\n]*)\.\*\n\n)?^```(?<language>\w+)\n(?<text>.*?)^```$/gms
const SPECIAL = /[\\^$.*+?()[\]{}|]/g
const HEADING = /^## (.*)$/gm

/** Reads the blocks of a page, in their order. A block of `text` is what the one before it prints. */
export function readBlocks(page: string): Block[] {
  const headings = [...page.matchAll(HEADING)]
  const blocks: Block[] = []
  for (const { groups, index } of page.matchAll(FENCE)) {
    const { says = '', notRun, language = '', text = '' } = groups ?? {}
    const section = headings.findLast((heading) => heading.index < index)?.[1] ?? ''
    const last = blocks.at(-1)
    if (language === 'text' && last !== undefined) last.prints = text
    else {
      const known = { ...readComment(says), ...(notRun !== undefined && { notRun }) }
      blocks.push({ section, language, text, ...known })
    }
  }
  return blocks
}

function readComment(says: string): Pick<Block, 'file' | 'keepsRunning' | 'exitStatus'> {
  const find = (pattern: RegExp) => pattern.exec(says)?.[1]
  const file = find(/^file: (.*)$/)
  return {
    ...(file !== undefined && { file }),
    keepsRunning: says === 'keeps running',
    exitStatus: Number(find(/^exit status (\d+)$/) ?? 0),
  }
}

/** Makes the pattern that an output must match to be as the page shows it, with columns of any width. */
export function toPattern(shown: string): RegExp {
  const lines = shown
    .trim()
    .split('\n')
    .map((line) => line.trim())
  const written = lines.map((line) =>
    line === '…' ? '[^]*?' : line.split('…').map(writeWords).join('.*?'),
  )
  return new RegExp(written.join('\\s*\\n\\s*'), 'm')
}

function writeWords(text: string): string {
  const escaped = text.split(/\s+/).map((word) => word.replace(SPECIAL, '\\$&'))
  return escaped.join('\\s+')
}
