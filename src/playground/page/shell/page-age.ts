import { effect } from '@preact/signals'
import { toast } from '../dialogs/notices.ts'
import { build } from '../state/chats.ts'
import { words } from '../words/language.ts'

/** Shows the person that the playground came back with another page than this one. */
export function followPageAge(): void {
  let known: string | undefined
  effect(() => {
    const now = build.value
    if (now !== undefined && known !== undefined && now !== known) void compare()
    known = now ?? known
  })
}

async function compare(): Promise<void> {
  const script = document.querySelector<HTMLScriptElement>('script[type="module"]')?.src
  const response = await fetch('.', { cache: 'no-store' }).catch(() => undefined)
  // The connection's own banner shows that a server is gone.
  if (response?.ok !== true || script === undefined) return
  const name = new URL(script).pathname.split('/').at(-1) ?? ''
  if (!(await response.text()).includes(name)) toast(words.value.shell.otherPage)
}
