/**
 * Says who gets in where a playground listens.
 *
 * @returns Undefined where only this machine reaches it.
 */
export function describeExposure(host: string): string | undefined {
  if (host === 'localhost' || host === '::1' || host.startsWith('127.')) return undefined
  return `HOST is ${host}: everybody who reaches that address can read every chat there, and write as anybody.
Without HOST it is for this machine alone.`
}
