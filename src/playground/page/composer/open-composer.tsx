import type { Signal } from '@preact/signals'
import { useComputed, useSignal } from '@preact/signals'
import { useRef } from 'preact/hooks'
import { IconButton } from '../parts/icon-button.tsx'
import { Icon } from '../parts/icons.tsx'
import type { ChatState } from '../state/chat-state.ts'
import { previewOf } from '../state/describe-service.ts'
import type { Intent } from '../state/intent.ts'
import { nameNow } from '../state/names.ts'
import { words } from '../words/language.ts'
import { AttachDialog } from './attach/attach-dialog.tsx'
import { sendAttached } from './attach/send-attached.ts'
import { UploadList } from './attach/upload-list.tsx'
import { useAttaching } from './attach/use-attaching.ts'
import { useDrop } from './attach/use-drop.ts'
import { countMessages, TEXT_CHARS_MAX } from './count-messages.ts'
import { BotMenuButton } from './field/bot-menu-button.tsx'
import { Field } from './field/field.tsx'
import { ReplyKeyboard } from './field/reply-keyboard.tsx'
import { SuggestionList } from './field/suggestion-list.tsx'
import type { Suggestion } from './field/suggestions-of.ts'
import { useFocus } from './field/use-focus.ts'
import { useKeys } from './field/use-keys.ts'
import { useSuggestions } from './field/use-suggestions.ts'
import { useWriting } from './field/use-writing.ts'

const PREVIEW_CHARS = 200

/** The field with everything around it. */
export function OpenComposer({ chat, threadId }: { chat: ChatState; threadId: number }) {
  const { compose } = words.value
  const part = useRef<HTMLFormElement>(null)
  const input = useRef<HTMLTextAreaElement>(null)
  const chooser = useRef<HTMLInputElement>(null)
  const cursor = useSignal(0)
  const writing = useWriting(chat, threadId)
  const suggestions = useSuggestions(writing, cursor)
  const attaching = useAttaching()
  const keys = useKeys(writing.markup)
  const isDropping = useDrop(part, attaching.add)
  const { text, intent, markup } = writing
  useFocus(input, intent)

  return (
    <>
      <form
        ref={part}
        class="composer"
        onSubmit={(event) => {
          event.preventDefault()
          writing.send()
        }}
      >
        {isDropping ? <p class="drop">{compose.drop}</p> : null}
        <div class="suggestions-box">
          <SuggestionList suggestions={suggestions} onPick={pick} />
        </div>
        {intent === undefined ? null : <IntentBar intent={intent} onClose={writing.dropIntent} />}
        <UploadList thread={{ chatId: chat.id, threadId }} />
        <div class="composer-row">
          <BotMenuButton chat={chat} suggestions={suggestions} />
          <Field
            input={input}
            text={text}
            cursor={cursor}
            suggestions={suggestions}
            placeholder={markup?.placeholder || compose.field}
            onTake={take}
            onSend={writing.send}
            onEscape={writing.dropIntent}
            onUp={writing.editLast}
            onFiles={attaching.add}
          />
          {keys.keyboard === undefined ? null : (
            <IconButton
              icon="keyboard"
              label={keys.isOpen ? compose.hideKeyboard : compose.showKeyboard}
              isPressed={keys.isOpen}
              onClick={keys.toggle}
            />
          )}
          <IconButton
            icon="attach"
            label={compose.attach}
            onClick={() => chooser.current?.click()}
          />
          <button
            type="submit"
            class="icon-button send"
            aria-label={intent?.type === 'edit' ? compose.save : compose.send}
            disabled={text.value.trim() === ''}
          >
            <Icon name={intent?.type === 'edit' ? 'check' : 'send'} />
          </button>
        </div>
        <LengthNote text={text} />
        {keys.isOpen && keys.keyboard !== undefined ? (
          <ReplyKeyboard
            markup={keys.keyboard}
            onText={writing.sendText}
            onContact={writing.shareContact}
          />
        ) : null}
      </form>
      <input
        ref={chooser}
        type="file"
        multiple
        hidden
        onChange={({ currentTarget }) => {
          attaching.add([...(currentTarget.files ?? [])])
          // The same file can be chosen again.
          currentTarget.value = ''
        }}
      />
      {attaching.files.value.length === 0 ? null : (
        <AttachDialog
          attaching={attaching}
          firstCaption={intent?.type === 'edit' ? '' : text.value}
          onSend={(sendAs, caption) => sendAttached(writing, attaching, { sendAs, caption })}
          onAddMore={() => chooser.current?.click()}
        />
      )}
    </>
  )

  /** Enter and a click send a command as they do in Telegram; Tab leaves room for what follows it. */
  function take(key: 'Enter' | 'Tab'): boolean {
    const suggestion = suggestions.shown[suggestions.chosen]
    if (suggestion === undefined) return false
    if (key === 'Tab') insert(suggestion)
    else pick(suggestion)
    return true
  }

  function pick(suggestion: Suggestion): void {
    if (suggestion.kind === 'mention') {
      insert(suggestion)
      return
    }
    if (!suggestions.showsCommands) text.value = ''
    suggestions.close()
    writing.sendText(suggestion.text)
  }

  function insert(suggestion: Suggestion): void {
    const at = suggestions.insert(suggestion)
    cursor.value = at
    const field = input.current
    if (field === null) return
    // Before the next drawing, which would leave the cursor at the end.
    field.value = text.value
    field.focus()
    field.setSelectionRange(at, at)
  }
}

/** Above the field: which message is answered or edited. */
function IntentBar({ intent, onClose }: { intent: Intent; onClose: () => void }) {
  const { compose } = words.value
  const { message } = intent.message
  const isEdit = intent.type === 'edit'
  const name = message.from === undefined ? '' : nameNow(message.from)
  const quote = intent.type === 'reply' ? intent.quote : undefined
  return (
    <div class="intent">
      <Icon name={isEdit ? 'edit' : 'reply'} />
      <div class="intent-words">
        <p class="intent-title cut">{isEdit ? compose.editing : compose.replyTo(name)}</p>
        <p class="hint cut">{(quote ?? previewOf(message)).slice(0, PREVIEW_CHARS)}</p>
      </div>
      <IconButton
        icon="close"
        label={isEdit ? compose.endEdit : compose.endReply}
        onClick={onClose}
      />
    </div>
  )
}

/** Below the field: that a long text will be several messages. */
function LengthNote({ text }: { text: Signal<string> }) {
  const count = useComputed(() =>
    text.value.length > TEXT_CHARS_MAX ? countMessages(text.value) : 1,
  )
  return (
    <p class="length-note hint small" role="status">
      {count.value > 1 ? words.value.compose.splitInto(count.value) : ''}
    </p>
  )
}
