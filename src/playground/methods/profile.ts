import { codePoints } from '../content/text.ts'
import { badRequest } from '../wire/envelope.ts'
import { textOf } from '../wire/params.ts'
import { readLanguage } from './commands.ts'
import type { Method } from './method.ts'

/** The texts of a bot's profile, and how long each may be. */
const CHARS_MAX = { name: 64, description: 512, short_description: 120 } as const

type Field = keyof typeof CHARS_MAX

/** An empty text takes the one of the language away. */
function set(field: Field): Method {
  return ({ params }, { profile }) => {
    const text = textOf(params, field).trim()
    const key = keyOf(field, readLanguage(params))
    if (codePoints(text) > CHARS_MAX[field]) throw badRequest(`${field} is too long`)
    if (text === '') profile.delete(key)
    else profile.set(key, text)
    return { result: true }
  }
}

/** A language without a text of its own has the one of no language; the name is never empty. */
function get(field: Field): Method {
  return ({ params }, { profile, world }) => {
    const own = profile.get(keyOf(field, readLanguage(params))) ?? profile.get(keyOf(field, ''))
    return { result: { [field]: own ?? (field === 'name' ? world.me.first_name : '') } }
  }
}

function keyOf(field: Field, languageCode: string): string {
  return `${field} ${languageCode}`
}

export const profileMethods = {
  setMyName: set('name'),
  getMyName: get('name'),
  setMyDescription: set('description'),
  getMyDescription: get('description'),
  setMyShortDescription: set('short_description'),
  getMyShortDescription: get('short_description'),
}
