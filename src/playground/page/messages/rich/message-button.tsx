import type { InlineKeyboardButton, RichMessageButton } from 'grammy/types'
import type { ComponentChildren } from 'preact'
import { toast } from '../../dialogs/notices.ts'
import { followLink } from '../../dialogs/open-address.ts'
import { toSafeUrl } from '../../links.ts'
import { openMiniApp } from '../../mini-app.ts'
import { Icon, type IconName } from '../../parts/icons.tsx'
import { words } from '../../words/language.ts'
import { type MessageScope, useMessageScope } from '../message-scope.ts'
import { copyText } from '../text/copy-text.ts'
import { isWaiting, press } from './presses.ts'

type AnyButton = InlineKeyboardButton | RichMessageButton

/** A button below a message. */
export function KeyboardButton({ button }: { button: InlineKeyboardButton }) {
  return (
    <ButtonShell button={button} looks="inline-key">
      {button.text}
    </ButtonShell>
  )
}

/** A button inside of a rich message: in its text, or in a row of its own. */
export function RichButton({
  button,
  isInText = false,
  children,
}: {
  button: RichMessageButton
  isInText?: boolean
  /** Its text. */
  children: ComponentChildren
}) {
  return (
    <ButtonShell button={button} looks={isInText ? 'chip chip-in-text' : 'chip'}>
      {children}
    </ButtonShell>
  )
}

interface ShellProps {
  button: AnyButton
  looks: string
  children: ComponentChildren
}

function ButtonShell({ button, looks, children }: ShellProps) {
  const scope = useMessageScope()
  const address = addressOf(button)
  const url = address === undefined ? undefined : toSafeUrl(address)
  const style = button.style === undefined ? looks : `${looks} button-${button.style}`
  const inside = (
    <>
      <span class="inline-text">{children}</span>
      <Mark button={button} />
    </>
  )
  if (url !== undefined) {
    return (
      <a
        class={style}
        href={url}
        target="_blank"
        rel="noopener noreferrer nofollow"
        title={url}
        onClick={(event) => followLink(event, url)}
      >
        {inside}
      </a>
    )
  }
  const act = actionOf(button, scope)
  const isBusy = 'callback_data' in button && isBusyIn(scope, button.callback_data)
  return (
    <button
      type="button"
      class={style}
      disabled={act === undefined}
      aria-busy={isBusy}
      onClick={act}
    >
      {inside}
    </button>
  )
}

/** Marks, in a button's corner, what it does beside being pressed. */
function Mark({ button }: { button: AnyButton }) {
  const icon = iconOf(button)
  return icon === undefined ? null : (
    <span class="inline-mark">
      <Icon name={icon} />
    </span>
  )
}

function iconOf(button: AnyButton): IconName | undefined {
  if ('url' in button || 'login_url' in button) return 'outside'
  if ('copy_text' in button) return 'copy'
  return 'web_app' in button ? 'window' : undefined
}

function addressOf(button: AnyButton): string | undefined {
  if ('url' in button) return button.url
  return 'login_url' in button ? button.login_url.url : undefined
}

/** @returns Undefined for a button that does nothing here. */
function actionOf(button: AnyButton, { chat, messageId }: MessageScope): (() => void) | undefined {
  if ('callback_data' in button && messageId !== undefined) {
    const { callback_data: data } = button
    return () => void press({ chatId: chat.id, messageId, data })
  }
  if ('copy_text' in button) {
    const { text } = button.copy_text
    return () => void copyText(text).then(tellCopied)
  }
  if ('web_app' in button) {
    const { url } = button.web_app
    return () => void openMiniApp(chat.id, url)
  }
  return undefined
}

function tellCopied(isCopied: boolean): void {
  const { copied, notCopied } = words.value.message
  toast(isCopied ? copied : notCopied, { isProblem: !isCopied })
}

function isBusyIn({ chat, messageId }: MessageScope, data: string): boolean {
  return messageId !== undefined && isWaiting({ chatId: chat.id, messageId, data })
}
