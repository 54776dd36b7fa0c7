import type { ComponentChildren } from 'preact'
import { followLink } from '../../dialogs/open-address.ts'
import { toSafeUrl } from '../../links.ts'
import { words } from '../../words/language.ts'
import { sendText } from '../actions.ts'
import { useMessageScope } from '../message-scope.ts'

/** A link that leaves the page; words alone where the address is none that a message may open. */
export function Link({ address, children }: { address: string; children: ComponentChildren }) {
  const url = toSafeUrl(address)
  if (url === undefined) return <span class="named">{children}</span>
  return (
    <a
      href={url}
      target="_blank"
      rel="noopener noreferrer nofollow"
      title={url}
      onClick={(event) => followLink(event, url)}
    >
      {children}
    </a>
  )
}

/** A command in a message: a press sends it. */
export function CommandLink({
  command,
  children,
}: {
  command: string
  children: ComponentChildren
}) {
  const scope = useMessageScope()
  const { sendThis } = words.value.message
  return (
    <button
      type="button"
      class="word-link"
      title={sendThis(command)}
      onClick={() => void sendText(scope, command)}
    >
      {children}
    </button>
  )
}
