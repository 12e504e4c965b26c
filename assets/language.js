// The same page in the other language. Who prefers Chinese is sent there once.
const link = element.querySelector('.language');
const KEPT = 'eagley-language';
const isChinese = props.language === 'zh';

const bare = location.pathname.replace(/\/zh\/?$/, '/');
const other = () => (isChinese ? bare : `${bare.replace(/\/$/, '')}/zh`) + location.search;

function chosen() {
  try {
    return localStorage.getItem(KEPT);
  } catch {
    return 'en'; // nothing can be kept: nobody is sent anywhere
  }
}

function keep(language) {
  try {
    localStorage.setItem(KEPT, language);
  } catch {
    // the switch still works
  }
}

link.textContent = isChinese ? 'English' : '中文';
link.lang = isChinese ? 'en' : 'zh';
link.href = other();
for (const event of ['pointerdown', 'focus']) link.addEventListener(event, () => (link.href = other()));
link.addEventListener('click', () => keep(isChinese ? 'en' : 'zh'));
document.documentElement.lang = props.language;
if (!isChinese && !chosen() && navigator.language?.startsWith('zh')) {
  keep('zh');
  location.replace(other());
}
