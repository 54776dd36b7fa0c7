import type { Doors } from '../../bot/people/access/admittance.ts'

const OPEN_TO: Readonly<Record<Doors['openTo'], string>> = {
  everybody: 'Everybody may talk to the bot.',
  listed:
    'Admins and the users in ALLOWED_USER_IDS may talk to the bot; others may ask, and admins decide.',
  admins:
    'Admins alone may talk to the bot; others may ask, and admins decide. ALLOWED_USER_IDS=* opens it to everybody.',
}

/**
 * Says who may talk to a bot that has started, and how it gets its first admin.
 *
 * The code must reach no log: until it is used, who reads it can become the admin.
 *
 * @param isReal Whether the bot can be found in Telegram.
 */
export function describeDoors(
  { username, openTo, adminCode }: Doors & { username: string },
  { isReal }: { isReal: boolean },
): string {
  if (adminCode === undefined) return OPEN_TO[openTo]
  const link = isReal ? `\n    https://t.me/${username}?start=${adminCode}` : ''
  return `${OPEN_TO[openTo]}

It has no admin yet. Who sends it this first, in a private chat, becomes the admin:

    /start ${adminCode}${link}

The code is good once. Only its hash is kept; the log does not have it.`
}
