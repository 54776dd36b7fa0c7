import { type Signal, useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { toast } from '../../dialogs/notices.ts'
import { bot } from '../../state/people.ts'
import { words } from '../../words/language.ts'
import { formatSize } from '../../words/sizes.ts'
import type { Attachment } from './attachment.ts'

/** Files that are being chosen. */
export interface Attaching {
  files: Signal<readonly Attachment[]>
  /** Adds files; those that cannot be sent are refused in words. */
  add: (files: readonly File[]) => void
  remove: (id: number) => void
  clear: () => void
}

let lastId = 0

/** Keeps what is being attached, with previews that end with it. */
export function useAttaching(): Attaching {
  const files = useSignal<readonly Attachment[]>([])
  useEffect(() => () => forget(files.peek()), [])
  return { files, add, remove, clear: () => set([]) }

  function add(given: readonly File[]): void {
    const accepted = given.filter((file) => {
      const problem = problemOf(file)
      if (problem !== undefined) toast(problem, { isProblem: true })
      return problem === undefined
    })
    set([...files.value, ...accepted.map(toAttachment)])
  }

  function remove(id: number): void {
    set(files.value.filter((file) => file.id !== id))
  }

  function set(next: readonly Attachment[]): void {
    forget(files.value.filter((file) => !next.includes(file)))
    files.value = next
  }
}

function toAttachment(file: File): Attachment {
  lastId += 1
  const isPicture = file.type.startsWith('image/') && file.type !== 'image/svg+xml'
  return { id: lastId, file, previewUrl: isPicture ? URL.createObjectURL(file) : '' }
}

/** An address of a preview keeps the file's bytes until it is given back. */
function forget(files: readonly Attachment[]): void {
  for (const { previewUrl } of files) if (previewUrl !== '') URL.revokeObjectURL(previewUrl)
}

/** Returns the refusal that Telegram's clients show for a file before they send anything. */
function problemOf({ name, size }: File): string | undefined {
  const { compose } = words.value
  const bytesMax = bot.value?.file_bytes_max ?? Number.POSITIVE_INFINITY
  if (size === 0) return compose.emptyFile(name)
  return size > bytesMax
    ? compose.largeFile(name, formatSize(size), formatSize(bytesMax))
    : undefined
}
