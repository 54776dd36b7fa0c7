import { relative } from 'node:path'
import type { Doors } from '../bot/people/access/admittance.ts'
import { writeCommand } from '../platform/write-command.ts'
import { describeExposure } from '../playground/web/who-gets-in.ts'
import {
  type Addresses,
  describeAddresses,
  describeProxies,
  describeRoles,
} from './describe-addresses.ts'
import { describeOwnModels } from './describe-models.ts'
import type { OwnModels } from './own-models.ts'

/** The facts about a process that has started. */
export interface Started extends Omit<Addresses, 'username'> {
  doors?: (Doors & { username: string }) | undefined
  rootDir: string
  playground?: { pageUrl: string; host: string } | undefined
  firstModel?: string | undefined
  ownModels?: Pick<OwnModels, 'settings' | 'offer'> | undefined
  serviceTrouble?: string | undefined
}

/**
 * Writes all that a start shows beside the log, in one piece: on a terminal what runs where, and on every start what
 * is left to be done by hand. With a playground one address, where everything can be tried.
 *
 * It is for the eyes of the person who started the process. It may hold the code that makes the first admin, or the
 * key of the playground's page, so it must reach no log.
 */
export function describeStart(
  { doors, playground, firstModel, ownModels, serviceTrouble, ...addresses }: Started,
  { isTerminal }: { isTerminal: boolean },
): string {
  const { address, rootDir } = addresses
  const parts = playground
    ? [
        isTerminal && describeRoles(addresses),
        isTerminal && describeProxies(addresses),
        isRestricted(doors) && describeDoors(doors, { isReal: false }),
        ownModels && describeOwnModels(ownModels),
        serviceTrouble !== undefined && describeServiceTrouble(serviceTrouble),
        describePlayground(playground, {
          hasOwnModels: (ownModels ?? addresses.remoteServiceUrl) !== undefined,
        }),
      ]
    : [
        isTerminal &&
          describeAddresses({
            ...addresses,
            username: doors?.username,
            hasOwnKey: ownModels !== undefined,
          }),
        doors && describeDoors(doors, { isReal: true }),
        ownModels && describeOwnModels(ownModels),
        serviceTrouble !== undefined && describeServiceTrouble(serviceTrouble),
        firstModel !== undefined && describeFirstAccount({ address, rootDir, model: firstModel }),
      ]
  return parts
    .filter((part) => typeof part === 'string')
    .map((part) => `\n${part}\n`)
    .join('')
}

function describeServiceTrouble(sentence: string): string {
  return `The bot cannot answer yet. ${sentence}.\nUsers read that; it is tried again every half a minute.`
}

/** Checks whether there is something to say about doors: usually a playground is open, and has an admin. */
function isRestricted(doors: Started['doors']): doors is NonNullable<Started['doors']> {
  return doors !== undefined && (doors.openTo !== 'everybody' || doors.adminCode !== undefined)
}

const OPEN_TO: Readonly<Record<Doors['openTo'], string>> = {
  everybody: 'Everybody may talk to the bot.',
  listed:
    'Admins and the users in ALLOWED_USER_IDS may talk to the bot; others may ask, and admins decide.',
  admins:
    'Admins alone may talk to the bot; others may ask, and admins decide. ALLOWED_USER_IDS=* opens it to everybody.',
}

/**
 * Writes who may talk to a bot that has started, and how it gets its first admin.
 *
 * The code must reach no log: until it is used, its reader can become the admin.
 *
 * @param isReal True if the bot can be found in Telegram.
 */
function describeDoors(
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

const DATA_DIR_DEFAULT = 'data'

function describeFirstAccount({
  address,
  rootDir,
  model,
}: {
  address: string
  rootDir: string
  model: string
}): string {
  // A command beside the process reads .env, and not the variables of another shell.
  const inFolder = relative('.', rootDir) === DATA_DIR_DEFAULT ? '' : `DATA_DIR=${quote(rootDir)} `
  return `The service has no customer yet. To make the first account, in another terminal:

    ${inFolder}${writeCommand('account', 'create --name shop --credit 500')}

  It prints the API key of the account, this once. A first request with it:

    curl ${address}/api/v1/chats/completions -H 'Authorization: Bearer API_KEY' \\
      -H 'Content-Type: application/json' \\
      -d '{"model": "${model}", "messages": [{"role": "user", "content": "Hello"}]}'

  docs/operating.md goes on from there.`
}

function quote(path: string): string {
  return /^[\w./-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`
}

function describePlayground(
  { pageUrl, host }: { pageUrl: string; host: string },
  { hasOwnModels }: { hasOwnModels: boolean },
): string {
  const [wanted, key] = hasOwnModels
    ? ['in Telegram', '']
    : ['in Telegram and with models of your own', 'OPENAI_API_KEY=… ']
  const exposure = describeExposure(host)
  const where = `Talk to the bot here:

    ${pageUrl}

It is the whole program, on a playground in Telegram's place, because BOT_TOKEN is not set.
To see a conversation played: ${writeCommand('demo')}
To go on ${wanted}: ${writeCommand('setup')}, or ${key}BOT_TOKEN=… ${writeCommand('start')}`
  return exposure === undefined ? where : `${where}\n\n${exposure}`
}
