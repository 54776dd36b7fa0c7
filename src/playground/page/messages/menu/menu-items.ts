import type { WireMessage } from '../../../web/api.ts'
import { toast } from '../../dialogs/notices.ts'
import type { IconName } from '../../parts/icons.tsx'
import { setIntent } from '../../state/intent.ts'
import { words } from '../../words/language.ts'
import { askToDelete } from '../asked-to-delete.ts'
import { startForward } from '../forwarding.ts'
import { copyText } from '../text/copy-text.ts'
import type { OpenedMenu } from './opened-menu.ts'

export interface MenuItem {
  name: 'reply' | 'quote' | 'edit' | 'copySelected' | 'copy' | 'forward' | 'delete'
  icon: IconName
  act: () => void
}

/** Returns what a message's menu offers. */
export function itemsOf({ chat, threadId, wires, isOwn, selection, from }: OpenedMenu): MenuItem[] {
  const [wire] = wires
  if (wire === undefined) return []
  const ids = wires.map(({ message }) => message.message_id)
  const all = copiedOf(wire, from)
  const items: MenuItem[] = []
  const offer = (name: MenuItem['name'], icon: IconName, act: () => void) =>
    items.push({ name, icon, act })
  offer('reply', 'reply', () => setIntent(chat, threadId, { type: 'reply', message: wire }))
  const quoted = findQuoted(wires, selection)
  if (quoted !== undefined) {
    const intent = { type: 'reply', message: quoted, quote: selection } as const
    offer('quote', 'quote', () => setIntent(chat, threadId, intent))
  }
  if (isOwn && canEdit(wire)) {
    offer('edit', 'edit', () => setIntent(chat, threadId, { type: 'edit', message: wire }))
  }
  if (selection !== '') offer('copySelected', 'copy', () => void copy(selection))
  if (all !== '') offer('copy', 'copy', () => void copy(all))
  offer('forward', 'share', () => startForward(chat, ids))
  // In a private chat everything can be deleted for both; elsewhere a member deletes what is his own.
  if (isOwn || chat.info.value.chat.type === 'private') {
    offer('delete', 'trash', () => askToDelete({ chat, ids }))
  }
  return items
}

/** The message that a selection is of word for word, as a quote has to be. */
function findQuoted(wires: readonly WireMessage[], selection: string): WireMessage | undefined {
  if (selection === '') return undefined
  return wires.find(({ message }) => {
    const text = message.text ?? message.caption
    // Of blocks a line is word for word; where lines end, only Telegram knows.
    return text === undefined ? !selection.includes('\n') : text.includes(selection)
  })
}

function canEdit({ message }: WireMessage): boolean {
  return message.text !== undefined && message.forward_origin === undefined
}

/** All the words of a message: of a rich one as they show. */
function copiedOf({ message }: WireMessage, bubble: HTMLElement): string {
  const text = message.text ?? message.caption
  return text ?? bubble.querySelector<HTMLElement>('.rich')?.innerText ?? ''
}

async function copy(text: string): Promise<void> {
  const isCopied = await copyText(text)
  const { copied, notCopied } = words.value.message
  toast(isCopied ? copied : notCopied, { isProblem: !isCopied })
}
