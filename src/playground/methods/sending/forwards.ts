import { randomInt } from 'node:crypto'
import { CAPTION, readFormatted } from '../../content/formatted-text.ts'
import { badRequest } from '../../wire/envelope.ts'
import { boolOf, idOf, type Params } from '../../wire/params.ts'
import type { FileStore } from '../../world/files.ts'
import type { Content, StoredMessage } from '../../world/message.ts'
import { originOf } from '../../world/origin.ts'
import { toMessage } from '../../world/to-message.ts'
import type { World } from '../../world/world.ts'
import type { Method, MethodCall, MethodDeps } from '../method.ts'
import { append, type Sent, send } from './deliver.ts'
import { cleanCaption } from './input-media.ts'
import { readMessageIds } from './message-ids.ts'
import { nounOf } from './nouns.ts'
import { requiredOf } from './required.ts'
import { throwDie } from './send-cards.ts'
import { checkRecipient, readTarget } from './target.ts'

const forwardMessage: Method = async (call, deps) => {
  const { params } = call
  const message = findSource(params, deps.world, 'message to forward')
  if (!canLeave(message)) throw badRequest("the message can't be forwarded")
  const target = readTarget(params, deps.world, nounOf(message.content))
  const forwarded = await send(call, deps, target, () => toForward(message, deps))
  return { result: toMessage(forwarded, deps.world) }
}

/** Sends the content of a message again, without its author. */
const copyMessage: Method = async (call, deps) => {
  const { params } = call
  requiredOf(params, 'from_chat_id')
  const caption = params.texts.has('caption') ? readFormatted(params, CAPTION) : undefined
  const message = findSource(params, deps.world, 'message to copy')
  if (!canLeave(message)) throw badRequest("the message can't be copied")
  const target = readTarget(params, deps.world, nounOf(message.content))
  const content = toCopy(message.content, deps.files)
  const isCaptioned = content.media !== undefined && caption !== undefined
  const looks = boolOf(params, 'show_caption_above_media') && { isCaptionAbove: true }
  const captioned = isCaptioned ? { ...content, ...cleanCaption(caption), ...looks } : content
  const { id } = await send(call, deps, target, () => ({ content: captioned }))
  return { result: { message_id: id } }
}

const forwardMessages: Method = (call, deps) =>
  sendMany(call, deps, (message) => toForward(message, deps))

const copyMessages: Method = (call, deps) => {
  const isBare = boolOf(call.params, 'remove_caption')
  return sendMany(call, deps, ({ content }) => {
    const copy = toCopy(content, deps.files)
    const isCaption = isBare && copy.media !== undefined
    return { content: isCaption ? { ...copy, text: '', entities: [] } : copy }
  })
}

/** Sends those messages of a list that are there and may leave their chat; albums stay together. */
async function sendMany(
  call: MethodCall,
  deps: MethodDeps,
  make: (message: StoredMessage) => Sent,
) {
  const { params } = call
  const fromChatId = requiredOf(params, 'from_chat_id')
  const ids = readMessageIds(params)
  const target = readTarget(params, deps.world, 'messages')
  const from = deps.world.accessChat(fromChatId, 'read')
  if (ids.some((id, index) => id <= (ids[index - 1] ?? 0))) {
    throw badRequest('message identifiers must be in a strictly increasing order')
  }
  const messages = ids.flatMap((id) => from.messages.get(id) ?? []).filter(canLeave)
  if (messages.length === 0) throw badRequest("messages can't be forwarded")
  for (const _ of messages) await call.passFloodControl('send', target.chat)
  checkRecipient(target.chat, deps.world)
  const groups = new Map(messages.map(({ mediaGroupId }) => [mediaGroupId, newGroupId()]))
  const sent = messages.map((message) => {
    const mediaGroupId = message.mediaGroupId && groups.get(message.mediaGroupId)
    return append(deps, target, { ...make(message), mediaGroupId })
  })
  return { result: sent.map(({ id }) => ({ message_id: id })) }
}

function newGroupId(): string {
  return randomInt(2 ** 47).toString()
}

function findSource(params: Params, world: World, what: string): StoredMessage {
  const chat = world.accessChat(requiredOf(params, 'from_chat_id'), 'read')
  const message = chat.messages.get(idOf(params, 'message_id'))
  if (message === undefined) throw badRequest(`${what} not found`)
  return message
}

function canLeave({ content, isProtected }: StoredMessage): boolean {
  return content.service === undefined && !isProtected
}

function toForward(message: StoredMessage, { files, world }: MethodDeps): Sent {
  return {
    content: showAnew(message.content, files),
    forwardOrigin: originOf(message, world),
  }
}

/** A copied poll is a new one without votes, and a copied die is thrown again. */
function toCopy(content: Content, files: FileStore): Content {
  const { poll, dice } = content.card ?? {}
  if (dice) return { ...content, card: { dice: throwDie(dice.emoji) } }
  if (poll === undefined) return showAnew(content, files)
  const options = poll.options.map((option) => ({ ...option, voter_count: 0 }))
  const fresh = { id: newGroupId(), options, total_voter_count: 0, is_closed: false }
  return { ...content, card: { poll: { ...poll, ...fresh } } }
}

/** The same file under an id of its own. */
function showAnew(content: Content, files: FileStore): Content {
  const { media } = content
  return media ? { ...content, media: files.show(media.kind, media.file, media) } : content
}

export const forwardMethods = { forwardMessage, forwardMessages, copyMessage, copyMessages }
