import type { PlaygroundChange } from '../../updates/changes.ts'
import { watchServiceFlow } from '../service-flow.ts'
import type { WebDeps } from '../web-deps.ts'
import { createPanelFeed, type PanelSources } from './panel-feed.ts'
import { createViewerFeed, type ViewerFeed } from './viewer-feed.ts'
import type { Send } from './writer.ts'

/** Changes that come in quick succession are sent together: an eye sees no more. */
const SEND_AFTER_MS = 20
/** The same of what the panel lists, which comes by the hundred. */
const PANEL_AFTER_MS = 100
const PING_EVERY_MS = 15_000
const STREAMS_MAX = 100

/** An open page: who it shows, and how it is written to. */
export interface LiveStream {
  userId: number
  hasPanel: boolean
  send: Send
  end(): void
}

interface Feeds {
  viewer: ViewerFeed
  panel: ReturnType<typeof createPanelFeed> | undefined
}

/**
 * Sends the open pages what changes.
 *
 * Messages are sent when the world emits a change of them. Everything else is small and is compared with what each
 * page got last, so that no part of the world has to know of pages.
 */
export function createLiveStreams(
  deps: WebDeps,
  { token, switchedFaults }: Omit<PanelSources, 'flows'>,
) {
  const streams = new Map<LiveStream, Feeds>()
  let pinging: NodeJS.Timeout | undefined
  const build = crypto.randomUUID()
  let serviceFlow: ReturnType<typeof watchServiceFlow> | undefined
  let unsubscribe: (() => void) | undefined
  const look = delayed(SEND_AFTER_MS, () => {
    for (const { viewer } of streams.values()) viewer.look()
  })
  const lookAtPanel = delayed(PANEL_AFTER_MS, () => {
    for (const { panel } of streams.values()) panel?.look()
  })
  return { open, close, look, lookAtPanel, stop }

  /** @returns False if too many are open. */
  function open(stream: LiveStream): boolean {
    if (streams.size >= STREAMS_MAX || deps.closing.aborted) return false
    if (streams.size === 0) begin()
    const feeds = {
      viewer: createViewerFeed(stream, deps, build),
      panel: stream.hasPanel
        ? createPanelFeed(stream.send, deps, {
            token,
            switchedFaults,
            flows: () => watchFlow().flows,
          })
        : undefined,
    }
    streams.set(stream, feeds)
    return true
  }

  /** Forgets a page that has gone. */
  function close(stream: LiveStream): void {
    const feeds = streams.get(stream)
    if (feeds === undefined) return
    streams.delete(stream)
    if (streams.size === 0) rest()
  }

  /** The pages ask again, and find another process. */
  function stop(): void {
    serviceFlow?.stop()
    for (const stream of [...streams.keys()]) {
      close(stream)
      stream.end()
    }
  }

  /** The service is not listened to before the first page is open. */
  function watchFlow() {
    serviceFlow ??= watchServiceFlow({
      clock: deps.clock,
      onFlow(flow) {
        for (const { panel } of streams.values()) panel?.takeFlow(flow)
        lookAtPanel()
      },
    })
    return serviceFlow
  }

  function begin(): void {
    unsubscribe = deps.changes.subscribe(onChange)
    // Before a panel asks: it is to show what has happened since the page was opened.
    watchFlow()
    pinging = setInterval(() => {
      const at = deps.clock.date().getTime()
      for (const stream of streams.keys()) stream.send('ping', { at })
    }, PING_EVERY_MS)
  }

  function rest(): void {
    unsubscribe?.()
    clearInterval(pinging)
  }

  function onChange(change: PlaygroundChange): void {
    for (const { viewer, panel } of streams.values()) {
      viewer.take(change)
      panel?.take(change)
    }
    look()
    lookAtPanel()
  }

  /** Does something once, so long after it was first asked for. On the machine's time, as all that goes out. */
  function delayed(delayMs: number, act: () => void): () => void {
    let isDue = false
    return () => {
      if (isDue || streams.size === 0) return
      isDue = true
      setTimeout(() => {
        isDue = false
        act()
      }, delayMs)
    }
  }
}

export type LiveStreams = ReturnType<typeof createLiveStreams>
