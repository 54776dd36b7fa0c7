import { CHARGE_KINDS, type ChargeKind, type DownloadBody } from '../../api.ts'

/** The filters of the spend. They stand in the address, so that a link shows the same. */
export interface Filter {
  user: string | undefined
  kind: ChargeKind | undefined
  model: string | undefined
}

export const NOTHING_NARROWED: Filter = { user: undefined, kind: undefined, model: undefined }

/** Reads the filters of the address; an unknown kind is none. */
export function readFilter(query: URLSearchParams): Filter {
  return {
    user: query.get('user') ?? undefined,
    kind: CHARGE_KINDS.find((kind) => kind === query.get('kind')),
    model: query.get('model') ?? undefined,
  }
}

/** Checks whether anything is left out of what is shown. */
export function isNarrowed(filter: Filter): boolean {
  return Object.values(filter).some((value) => value !== undefined)
}

/** The same in the body of a request. */
export function toDownloadBody({ user, kind, model }: Filter): Omit<DownloadBody, 'span'> {
  return {
    ...(user === undefined ? {} : { user: Number(user) }),
    ...(kind === undefined ? {} : { kind }),
    ...(model === undefined ? {} : { model }),
  }
}
