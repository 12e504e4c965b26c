"""How Gradio's own widgets look: quiet, flat, one accent."""

import gradio as gr

from components import theme
from components.elements.element import ASSETS
from components.marks import DRAWN

SHARED = (*DRAWN, "rejected", "untested")  # roles that the CSS needs too
FONTS = ["Inter", "ui-sans-serif", "system-ui", "Segoe UI", "Roboto", "sans-serif"]
MONO = ["ui-monospace", "SFMono-Regular", "Menlo", "Consolas", "DejaVu Sans Mono", "monospace"]
SETTINGS = {
    "body_background_fill": "#fdfdfe",
    "body_background_fill_dark": "#14171b",
    "background_fill_primary": "#ffffff",
    "background_fill_primary_dark": "#191d22",
    "background_fill_secondary": "#f3f5f7",
    "background_fill_secondary_dark": "#1f242a",
    "block_background_fill": "transparent",
    "block_background_fill_dark": "transparent",
    "block_border_width": "0px",
    "block_shadow": "none",
    "block_padding": "0px",
    "body_text_color": "#1b2027",
    "body_text_color_dark": "#e8eaed",
    "body_text_color_subdued": "#59626d",
    "body_text_color_subdued_dark": "#a3acb6",
    "border_color_primary": "#e1e4e9",
    "border_color_primary_dark": "#30373f",
    "block_label_background_fill": "transparent",
    "block_label_background_fill_dark": "transparent",
    "block_title_background_fill": "transparent",
    "block_title_background_fill_dark": "transparent",
    "block_title_text_color": "*body_text_color_subdued",
    "block_title_text_color_dark": "*body_text_color_subdued",
    "block_title_text_size": "*text_sm",
    "block_title_text_weight": "500",
    "button_secondary_background_fill": "transparent",
    "button_secondary_background_fill_dark": "transparent",
    "button_secondary_background_fill_hover": "*background_fill_secondary",
    "button_secondary_background_fill_hover_dark": "*background_fill_secondary",
    "button_secondary_border_color": "*border_color_primary",
    "button_secondary_border_color_dark": "*border_color_primary",
    "table_even_background_fill": "transparent",
    "table_even_background_fill_dark": "transparent",
    "table_odd_background_fill": "*background_fill_secondary",
    "table_odd_background_fill_dark": "*background_fill_secondary",
    "button_border_width": "1px",
    "button_border_width_dark": "1px",
    "button_primary_background_fill": "#1b2027",
    "button_primary_background_fill_hover": "#333a44",
    "button_primary_background_fill_dark": "#e8eaed",
    "button_primary_background_fill_hover_dark": "#ffffff",
    "button_primary_text_color": "#ffffff",
    "button_primary_text_color_dark": "#14171b",
    "input_background_fill": "#ffffff",
    "input_background_fill_dark": "#191d22",
    "input_border_width": "1px",
}


def look() -> gr.themes.Base:
    """Fonts of the reader's own system, hairlines instead of shadows."""
    base = gr.themes.Base(
        primary_hue=gr.themes.colors.blue,
        neutral_hue=gr.themes.colors.slate,
        radius_size=gr.themes.sizes.radius_md,
        text_size=gr.themes.sizes.text_md,
        font=FONTS,
        font_mono=MONO,
    )
    return base.set(**SETTINGS)


def stylesheet() -> str:
    """The page's own rules, with the figures' colours as CSS variables."""
    light = _variables(theme.LIGHT)
    dark = _variables(theme.DARK)
    rules = (ASSETS / "page.css").read_text("utf-8")
    marks = "\n".join(map(_mark, DRAWN))
    return f":root {{ {light} }}\n.dark {{ {dark} }}\n{marks}\n{rules}"


def variables() -> str:
    """Gradio's own CSS variables that the elements use, for a page without Gradio."""
    fonts = {"font": ", ".join(FONTS), "font-mono": ", ".join(MONO)}
    accents = {"color-accent": "#2563eb", "border-color-accent": "#93b4f5"}
    light = {k: v for k, v in SETTINGS.items() if not k.endswith("_dark")}
    dark = {k.removesuffix("_dark"): v for k, v in SETTINGS.items() if k.endswith("_dark")}
    light |= fonts | accents | {"error-text-color": "#b91c1c"}
    dark |= {"border-color-accent": "#3b5b9a", "error-text-color": "#fca5a5"}
    return f":root {{ {_declared(light)} }}\n.dark {{ {_declared(dark)} }}"


def _declared(settings: dict[str, str]) -> str:
    plain = ((name, value) for name, value in settings.items() if not value.startswith("*"))
    return " ".join(f"--{name.replace('_', '-')}: {value};" for name, value in plain)


def _mark(source: str) -> str:
    """A source's colour and underline, for whatever shows it."""
    line = f"--mark: var(--{source}); --line: {DRAWN[source].underline};"
    return f":is(.token, .swatch, .line).{source} {{ {line} }}"


def _variables(palette: dict[str, str]) -> str:
    return " ".join(f"--{role}: {palette[role]};" for role in SHARED)
