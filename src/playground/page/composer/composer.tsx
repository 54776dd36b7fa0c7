import { useSignal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import type { WireChat } from '../../web/api.ts'
import { openMiniApp } from '../mini-app.ts'
import { Icon, IconButton } from '../parts/icons.tsx'
import { attempt, toast } from '../parts/notices.tsx'
import { previewOf } from '../state/describe.ts'
import type { Intent } from '../state/drafts.ts'
import { authorOf } from '../state/people.ts'
import { act } from '../state/request.ts'
import { words } from '../words/language.ts'
import { AttachmentList, attach, CAPTION_CHARS_MAX, chosenIn, sendAttached } from './attach.tsx'
import { Field, SuggestionList, type Suggestions, useSuggestions } from './field.tsx'
import type { Suggestion } from './suggestions.ts'
import { useWriting } from './writing.ts'

/** Matches a page with a mouse: on a phone the focus would open the keyboard. */
const MOUSE = '(hover: hover)'

/** Shows the field for messages, or the button that has to be pressed before. */
export function Composer({ chat, threadId }: { chat: WireChat; threadId: number }) {
  const { compose } = words.value
  const isBusy = useSignal(false)
  const { is_blocked: isBlocked, is_started: isStarted } = chat
  if (!isBlocked && isStarted) return <OpenComposer chat={chat} threadId={threadId} />
  const { id } = chat.chat
  const press = async () => {
    isBusy.value = true
    await attempt(() =>
      isBlocked
        ? act('/chats/:id/blocks', { is_blocked: false }, id)
        : act('/chats/:id/starts', {}, id),
    )
    isBusy.value = false
  }
  return (
    <div class="composer">
      <button
        type="button"
        class="button button-main"
        disabled={isBusy.value}
        onClick={() => void press()}
      >
        {isBlocked ? compose.unblock : compose.start}
      </button>
    </div>
  )
}

function OpenComposer({ chat, threadId }: { chat: WireChat; threadId: number }) {
  const { compose } = words.value
  const input = useRef<HTMLTextAreaElement>(null)
  const chooser = useRef<HTMLInputElement>(null)
  const cursor = useSignal(0)
  const writing = useWriting(chat, threadId)
  const suggestions = useSuggestions(chat, writing.text, cursor)
  const { text, intent, thread } = writing
  const addFiles = (files: readonly File[]) => attach(thread, files)
  const isEdit = intent?.type === 'edit'
  const hasFiles = !isEdit && chosenIn(thread).length > 0
  const intentId = intent?.message.message.message_id

  // Focuses the field when the chat opens, and when a reply or an edit begins.
  useEffect(() => {
    const field = input.current
    if (field === null || (intentId === undefined && !matchMedia(MOUSE).matches)) return
    field.focus()
    field.setSelectionRange(field.value.length, field.value.length)
  }, [intentId, isEdit])
  useDrop(input, addFiles)

  return (
    <form
      class="composer"
      onSubmit={(event) => {
        event.preventDefault()
        send()
      }}
    >
      <div class="suggestions-box">
        <SuggestionList suggestions={suggestions} onPick={pick} />
      </div>
      {intent === undefined ? null : <IntentBar intent={intent} onClose={writing.dropIntent} />}
      <AttachmentList thread={thread} />
      <div class="composer-row row">
        <BotMenuButton chat={chat} suggestions={suggestions} />
        <Field
          input={input}
          text={text}
          cursor={cursor}
          suggestions={suggestions}
          placeholder={writing.placeholder || compose.field}
          onTake={take}
          onSend={send}
          onEscape={writing.dropIntent}
          onUp={writing.editLast}
          onFiles={addFiles}
        />
        <IconButton icon="attach" label={compose.attach} onClick={() => chooser.current?.click()} />
        <button
          type="submit"
          class="icon-button send"
          aria-label={isEdit ? compose.save : compose.send}
          disabled={text.value.trim() === '' && !hasFiles}
        >
          <Icon name={isEdit ? 'check' : 'send'} />
        </button>
        <input
          ref={chooser}
          type="file"
          multiple
          hidden
          onChange={({ currentTarget }) => {
            addFiles([...(currentTarget.files ?? [])])
            // The same file can be chosen again.
            currentTarget.value = ''
          }}
        />
      </div>
    </form>
  )

  function send(): void {
    const caption = text.value.trim()
    if (!hasFiles) writing.send()
    else if ([...caption].length > CAPTION_CHARS_MAX) {
      toast(compose.captionTooLong(CAPTION_CHARS_MAX), { isProblem: true })
    } else {
      text.value = ''
      sendAttached(writing, caption)
    }
  }

  /** Enter sends a suggested command, as in Telegram; Tab inserts it. */
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
    void writing.sendText(suggestion.text)
  }

  function insert(suggestion: Suggestion): void {
    const at = suggestions.insert(suggestion)
    cursor.value = at
    const field = input.current
    if (field === null) return
    // Before the next drawing, which would put the cursor at the end.
    field.value = text.value
    field.focus()
    field.setSelectionRange(at, at)
  }
}

function useDrop(
  field: { current: HTMLElement | null },
  onFiles: (files: readonly File[]) => void,
): void {
  useEffect(() => {
    const chat = field.current?.closest<HTMLElement>('.chat')
    const onDrag = (event: DragEvent) => {
      if (event.dataTransfer?.types.includes('Files') !== true) return
      // Otherwise the browser would open the file.
      event.preventDefault()
      if (event.type === 'drop') onFiles([...event.dataTransfer.files])
    }
    chat?.addEventListener('dragover', onDrag)
    chat?.addEventListener('drop', onDrag)
    return () => {
      chat?.removeEventListener('dragover', onDrag)
      chat?.removeEventListener('drop', onDrag)
    }
  }, [])
}

function BotMenuButton({ chat, suggestions }: { chat: WireChat; suggestions: Suggestions }) {
  const { commands, menu_button: menu } = chat
  if (menu.type === 'web_app') {
    const open = () => void openMiniApp(chat.chat.id, menu.web_app.url)
    return (
      <button type="button" class="app-button cut" onClick={open}>
        {menu.text}
      </button>
    )
  }
  if (commands.length === 0) return null
  return (
    <IconButton
      icon="commands"
      label={words.value.compose.commands}
      isExpanded={suggestions.showsCommands}
      onClick={suggestions.toggleCommands}
    />
  )
}

function IntentBar({ intent, onClose }: { intent: Intent; onClose: () => void }) {
  const { compose } = words.value
  const { message } = intent.message
  const isEdit = intent.type === 'edit'
  const quote = intent.type === 'reply' ? intent.quote : undefined
  return (
    <div class="intent row">
      <Icon name={isEdit ? 'edit' : 'reply'} />
      <div class="intent-words fill">
        <p class="intent-title cut">
          {isEdit ? compose.editing : compose.replyTo(authorOf(message).name)}
        </p>
        <p class="hint cut">{quote ?? previewOf(message)}</p>
      </div>
      <IconButton
        icon="close"
        label={isEdit ? compose.endEdit : compose.endReply}
        onClick={onClose}
      />
    </div>
  )
}
