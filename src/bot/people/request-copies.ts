import type { InlineKeyboardButton } from 'grammy/types'
import type { Logger } from 'pino'
import type { PrismaClient } from '../../platform/database/generated/client.ts'
import { errorFacts } from '../telegram/error-facts.ts'
import type { Outbox } from '../telegram/send.ts'
import { languageOf } from './users.ts'

/** A request of a user to the admins, and how it reads to one of them. */
export interface AdminRequest {
  name: string
  userId: bigint
  describe(languageCode: string | undefined): string
  buttons(languageCode: string | undefined): InlineKeyboardButton[][]
}

/** A request that one admin has decided. */
export interface DecidedRequest extends Pick<AdminRequest, 'name' | 'describe'> {
  describeDecision(languageCode: string | undefined): string
}

interface Admin {
  userId: number
  languageCode: string | undefined
}

export interface RequestCopiesDeps {
  prisma: Pick<PrismaClient, 'user' | 'requestCopy'>
  roles: { admins(): Promise<Admin[]> }
  outbox: Pick<Outbox, 'send' | 'edit'>
  log: Logger
}

/**
 * The messages that show admins what users ask of them: every admin has a copy of each request, and once
 * one of them has decided, all copies show it. Viewers have none.
 */
export function createRequestCopies({ prisma, roles, outbox, log }: RequestCopiesDeps) {
  return { send, close, nameOfAdmin }

  async function send(request: AdminRequest): Promise<void> {
    const { name } = request
    const copies = await prisma.requestCopy.findMany({ where: { request: name } })
    const notified = new Set(copies.map(({ adminId }) => Number(adminId)))
    const unnotified = (await roles.admins()).filter(({ userId }) => !notified.has(userId))
    await Promise.all(
      unnotified.map((admin) =>
        sendTo(admin, request).catch((error: unknown) => {
          // An admin who never wrote to the bot cannot be reached by it.
          const { userId: adminId } = admin
          log.warn(
            { ...errorFacts(error), adminId, request: name },
            'admin not notified of a request',
          )
        }),
      ),
    )
  }

  async function sendTo(
    { userId: adminId, languageCode }: Admin,
    request: AdminRequest,
  ): Promise<void> {
    const { messageId } = await outbox.send({
      chatId: adminId,
      text: request.describe(languageCode),
      keyboard: { inline_keyboard: request.buttons(languageCode) },
    })
    const { name, userId } = request
    const data = [{ request: name, userId, adminId, messageId }]
    await prisma.requestCopy.createMany({ data, skipDuplicates: true })
  }

  async function close({ name, describe, describeDecision }: DecidedRequest): Promise<void> {
    const copies = await prisma.requestCopy.findMany({ where: { request: name } })
    await Promise.all(
      copies.map(async ({ adminId, messageId }) => {
        const languageCode = await languageOfAdmin(adminId)
        const text = `${describe(languageCode)}\n\n${describeDecision(languageCode)}`
        try {
          await outbox.edit({ chatId: Number(adminId), messageId }, text)
        } catch (error) {
          log.info(
            { ...errorFacts(error), adminId: String(adminId), request: name },
            'request not brought up to date',
          )
        }
        await prisma.requestCopy.deleteMany({ where: { request: name, adminId } })
      }),
    )
  }

  async function nameOfAdmin(adminId: bigint | null): Promise<string> {
    if (adminId === null) return ''
    const admin = await prisma.user.findUnique({ where: { id: adminId } })
    return admin ? admin.firstName : String(adminId)
  }

  async function languageOfAdmin(adminId: bigint): Promise<string | undefined> {
    const admin = await prisma.user.findUnique({ where: { id: adminId } })
    return admin === null ? undefined : languageOf(admin)
  }
}

export type RequestCopies = ReturnType<typeof createRequestCopies>
