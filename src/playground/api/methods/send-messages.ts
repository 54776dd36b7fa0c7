import { codePoints } from '../../content/text.ts'
import { badRequest } from '../../wire/envelope.ts'
import { prepareMedia, readMedia, type SendableKind } from './input-media.ts'
import { cleanNonEmpty, readMessageText, readRich, TEXT_CHARS_MAX } from './message-text.ts'
import type { Method } from './method.ts'
import { readTarget, send } from './sending.ts'

const sendMessage: Method = async (call, deps) => {
  const given = readMessageText(call.params)
  const target = readTarget(call.params, deps.world, 'text messages')
  const formatted = cleanNonEmpty(given)
  if (codePoints(formatted.text) > TEXT_CHARS_MAX) throw badRequest('message is too long')
  return send(call, deps, target, () => ({ ...formatted, linkPreview: given.linkPreview }))
}

const sendRichMessage: Method = async (call, deps) => {
  const content = readRich(call.params, deps)
  return send(call, deps, readTarget(call.params, deps.world, 'the rich message'), () => content)
}

/** The methods that send one file differ in its kind alone. */
function sender(kind: SendableKind): Method {
  return (call, deps) => {
    const media = readMedia(call.params, kind)
    const target = readTarget(call.params, deps.world, `${kind}s`)
    return send(call, deps, target, prepareMedia(media, deps))
  }
}

export const sendMethods = {
  sendMessage,
  sendRichMessage,
  sendPhoto: sender('photo'),
  sendVideo: sender('video'),
  sendDocument: sender('document'),
  sendAudio: sender('audio'),
}
