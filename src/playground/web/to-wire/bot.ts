import { writeCommand } from '../../../platform/write-command.ts'
import type { WireBot, WirePerson } from '../api.ts'
import { fileBytesMax } from '../take-upload.ts'
import type { WebDeps } from '../web-deps.ts'

type BotDeps = Pick<WebDeps, 'world' | 'profile' | 'files' | 'isDemo'>

/** The bot as a person sees it, in their language where it has one. */
export function toWireBot(
  languageCode: string,
  { world, profile, files, isDemo }: BotDeps,
): WireBot {
  const textOf = (field: string) =>
    profile.get(`${field} ${languageCode}`) ?? profile.get(`${field} `)
  return {
    me: { ...world.me, first_name: textOf('name') ?? world.me.first_name },
    description: textOf('description') ?? '',
    short_description: textOf('short_description') ?? '',
    file_bytes_max: fileBytesMax(files),
    setup_command: isDemo() ? writeCommand('setup') : null,
  }
}

export function toWirePeople({ world }: Pick<BotDeps, 'world'>): WirePerson[] {
  return Array.from(world.people.values(), ({ user }) => ({ user }))
}
