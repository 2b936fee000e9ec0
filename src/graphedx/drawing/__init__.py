"""Pictures of edit paths, matrices, distributions and guesses: SVG, PNG and self-contained HTML pages.

One path of data: marks (what happens to each node and edge), layout (where they go), scene (shapes), then a renderer.
"""

from graphedx.drawing.cell_map import heatmap_svg
from graphedx.drawing.curves import curves_svg
from graphedx.drawing.heatmap import clustered_heatmap_svg
from graphedx.drawing.histogram import histogram_svg
from graphedx.drawing.html import edit_path_html
from graphedx.drawing.page import Section, report_page
from graphedx.drawing.png import edit_path_png
from graphedx.drawing.scatter import scatter_svg
from graphedx.drawing.svg import edit_path_svg
from graphedx.drawing.tradeoff import tradeoff_svg

__all__ = [
    "Section",
    "clustered_heatmap_svg",
    "curves_svg",
    "edit_path_html",
    "edit_path_png",
    "edit_path_svg",
    "heatmap_svg",
    "histogram_svg",
    "report_page",
    "scatter_svg",
    "tradeoff_svg",
]
