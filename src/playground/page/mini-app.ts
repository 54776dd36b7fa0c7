import { launchUrl } from './links.ts'
import { attempt } from './parts/notices.tsx'
import { act } from './state/request.ts'

export async function openMiniApp(chatId: number, url: string): Promise<void> {
  // At once: after the request the browser would take the new tab for a pop-up.
  const tab = open('', '_blank')
  if (tab === null) return
  tab.opener = null
  const isOpened = await attempt(async () => {
    const { init_data: initData } = await act('/chats/:id/web-apps', { url }, chatId)
    tab.location.replace(launchUrl(url, initData))
  })
  if (!isOpened) tab.close()
}
