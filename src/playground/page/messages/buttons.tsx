import { signal } from '@preact/signals'
import type { InlineKeyboardButton, InlineKeyboardMarkup } from 'grammy/types'
import { toSafeUrl } from '../links.ts'
import { openMiniApp } from '../mini-app.ts'
import { Icon } from '../parts/icons.tsx'
import { attempt, toast } from '../parts/notices.tsx'
import { listen } from '../state/live.ts'
import { act } from '../state/request.ts'
import { type MessageScope, useMessageScope } from './text.tsx'

const WAITING_MS = 30_000

const waiting = signal<ReadonlySet<string>>(new Set())

export function followAnswers(): void {
  listen('answer', ({ chat_id, message_id, text }) => {
    endWaiting((key) => key.startsWith(`${chat_id} ${message_id} `))
    if (text !== '') toast(text)
  })
}

export function InlineKeyboard({ markup }: { markup: InlineKeyboardMarkup | undefined }) {
  if (markup === undefined || markup.inline_keyboard.length === 0) return null
  return (
    <div class="inline-keys">
      {markup.inline_keyboard.map((row, rowIndex) => (
        <div class="inline-row" key={rowIndex}>
          {row.map((button, index) => (
            <Button key={index} button={button} />
          ))}
        </div>
      ))}
    </div>
  )
}

function Button({ button }: { button: InlineKeyboardButton }) {
  const scope = useMessageScope()
  const url = 'url' in button ? toSafeUrl(button.url) : undefined
  const looks = button.style === undefined ? 'inline-key' : `inline-key button-${button.style}`
  const inside = (
    <>
      <span class="inline-text">{button.text}</span>
      {'url' in button || 'web_app' in button ? <Icon name="outside" /> : null}
    </>
  )
  if (url !== undefined) {
    return (
      <a class={looks} href={url} target="_blank" rel="noopener noreferrer nofollow" title={url}>
        {inside}
      </a>
    )
  }
  const onClick = actionOf(button, scope)
  const isBusy = 'callback_data' in button && waiting.value.has(keyOf(scope, button.callback_data))
  return (
    <button
      type="button"
      class={looks}
      disabled={onClick === undefined}
      aria-busy={isBusy}
      onClick={onClick}
    >
      {inside}
      {isBusy ? <span class="spinner" aria-hidden="true" /> : null}
    </button>
  )
}

function actionOf(button: InlineKeyboardButton, scope: MessageScope): (() => void) | undefined {
  if ('callback_data' in button) return () => void press(scope, button.callback_data)
  if ('web_app' in button) return () => void openMiniApp(scope.chatId, button.web_app.url)
  return undefined
}

/** Reports a press to the bot, unless an earlier press of the button waits for its answer. */
async function press(scope: MessageScope, data: string): Promise<void> {
  const key = keyOf(scope, data)
  if (waiting.value.has(key)) return
  waiting.value = new Set(waiting.value).add(key)
  const body = { message_id: scope.messageId, data }
  const isSent = await attempt(() => act('/chats/:id/presses', body, scope.chatId))
  const end = () => endWaiting((other) => other === key)
  if (isSent) setTimeout(end, WAITING_MS)
  else end()
}

function endWaiting(ends: (key: string) => boolean): void {
  if (![...waiting.value].some(ends)) return
  waiting.value = new Set([...waiting.value].filter((key) => !ends(key)))
}

function keyOf({ chatId, messageId }: MessageScope, data: string): string {
  return `${chatId} ${messageId} ${data}`
}
