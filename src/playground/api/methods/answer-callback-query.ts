import { codePoints } from '../../content/text.ts'
import { badRequest } from '../../wire/envelope.ts'
import { boolOf, textOf } from '../../wire/params.ts'
import type { Method } from './method.ts'

const TEXT_CHARS_MAX = 200

export const answerCallbackQuery: Method = ({ params }, deps) => {
  const id = textOf(params, 'callback_query_id')
  const text = textOf(params, 'text')
  if (codePoints(text) > TEXT_CHARS_MAX) throw badRequest('MESSAGE_TOO_LONG')
  const showAlert = boolOf(params, 'show_alert')
  deps.callbackQueries.answer(id, { text, showAlert, url: textOf(params, 'url') })
  return { result: true }
}
