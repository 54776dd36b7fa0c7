import type { FastifyInstance } from 'fastify'
import { PageRefusal } from '../../../platform/http/page-refusal.ts'
import type { WirePerson } from '../api.ts'
import { readFields, readId } from '../http/read-fields.ts'
import type { WebDeps } from '../web-deps.ts'

interface PersonRoute {
  Params: { id: string }
}

/** The routes that add and change people. */
export function peopleRoutes(app: FastifyInstance, deps: WebDeps): void {
  const { world, control } = deps

  app.post('/people', async ({ body }): Promise<WirePerson> => {
    const fields = readFields(body)
    const firstName = nameOf(fields.text('first_name'))
    const languageCode = languageOf(fields.ifGiven(fields.text, 'language_code'))
    return wireOf(control.newPerson({ firstName, languageCode }))
  })

  app.post<PersonRoute>('/people/:id', async ({ params, body }): Promise<WirePerson> => {
    const fields = readFields(body)
    const userId = readId(params.id)
    if (!control.hasUser(userId)) throw new PageRefusal(404, `There is no user ${userId}`)
    const firstName = fields.ifGiven(fields.text, 'first_name')
    const languageCode = languageOf(fields.ifGiven(fields.text, 'language_code'))
    control.renamesPerson(userId, {
      firstName: firstName === undefined ? undefined : nameOf(firstName),
      languageCode,
    })
    return wireOf(userId)
  })

  app.post('/groups', async ({ body }) => {
    const fields = readFields(body)
    const botStatus = fields.text('bot_status')
    if (botStatus !== 'member' && botStatus !== 'administrator') {
      throw new PageRefusal(422, 'bot_status is member or administrator')
    }
    const chatId = control.newGroup({
      title: nameOf(fields.text('title')),
      isForum: fields.flag('is_forum'),
      members: fields.numbers('members'),
      botStatus,
    })
    return { chat_id: chatId }
  })

  function wireOf(userId: number): WirePerson {
    return { user: world.personOf(userId).user }
  }
}

function nameOf(given: string): string {
  const name = given.trim()
  if (name === '' || [...name].length > 64) {
    throw new PageRefusal(422, 'A name has 1 to 64 characters')
  }
  return name
}

function languageOf(code: string | undefined): string | undefined {
  if (code !== undefined && !/^[a-z]{2,3}(-[A-Za-z0-9]{2,8})*$/.test(code)) {
    throw new PageRefusal(422, 'language_code is no language')
  }
  return code
}
